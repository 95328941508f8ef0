import type { Logger } from 'pino'
import type { IncomingDocument, Ingested } from '../../../domains/knowledge/ingest.ts'
import type { RecordUpload } from '../../../domains/knowledge/upload-worker.ts'
import { withLongStatements } from '../../../platform/db/long-statements.ts'
import { NO_ACCESS } from '../../../shared/access.ts'
import { type ChangeDeps, change, type RecordedChange } from '../kit/change.ts'

interface Deps extends ChangeDeps {
  readonly log: Logger
}

/** Records the change of a document by an upload. Permission was checked when the upload was accepted, so none is checked here. */
export const uploadRecorder =
  ({ log, ...deps }: Deps): RecordUpload =>
  ({ workspaceId, operatorId: id }, document, write) => {
    const kind = id.startsWith('adm_') ? 'token' : 'person'
    const operator = { id, kind, name: '', access: NO_ACCESS, scopes: [] } as const
    return change(deps, { operator, workspaceId, log }, async (tx, now) => {
      const value = await withLongStatements(tx, () => write(tx, now))
      if (!value || value.outcome === 'unchanged') return { value }
      const action = value.outcome === 'added' ? 'document.create' : 'document.update'
      const caused = value.attachments.flatMap(attachmentChange)
      return { value, action, id: value.documentId, fields: changedFieldNames(value, document), caused }
    })
  }

const ATTACHMENT_ACTIONS = { added: 'create', changed: 'update', relabelled: 'update', deleted: 'delete' } as const

function attachmentChange({ outcome, documentId: id }: Ingested['attachments'][number]): RecordedChange[] {
  if (outcome === 'unchanged' || outcome === 'failed') return []
  const fields = outcome === 'added' || outcome === 'changed' ? ['content'] : []
  return [{ action: `document.${ATTACHMENT_ACTIONS[outcome]}`, id, fields }]
}

function changedFieldNames({ outcome }: Ingested, document: IncomingDocument): string[] {
  const labels = (['title', 'source', 'classification', 'regulations', 'acl'] as const).filter(
    (name) => document[name] !== undefined,
  )
  return [...(outcome === 'relabelled' ? [] : ['content']), ...labels]
}
