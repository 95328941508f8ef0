import type { Logger } from 'pino'
import type { RecordDeletion } from '../../../domains/knowledge/sources/synchronise.ts'
import { NO_ACCESS } from '../../../shared/access.ts'
import { type ChangeDeps, change } from '../kit/change.ts'

interface Deps extends ChangeDeps {
  readonly log: Logger
}

/** Records the deletion of documents by a source. Permission was checked when the source was stored, so none is checked here. */
export const sourceRecorder =
  ({ log, ...deps }: Deps): RecordDeletion =>
  ({ id, workspaceId }, work) =>
    change(deps, { operator: { id, kind: 'person', name: '', access: NO_ACCESS, scopes: [] }, workspaceId, log }, async (tx) => {
      const value = await work(tx)
      const [first, ...others] = (value ?? []).map(({ documentId }) => ({ action: 'document.delete' as const, id: documentId }))
      return first ? { value, ...first, caused: others } : { value }
    })
