import type { Logger } from 'pino'
import type { IncomingDocument, Ingested } from '../../../domains/knowledge/ingest.ts'
import type { Upload } from '../../../domains/knowledge/upload.ts'
import type { UploadRecorder } from '../../../domains/knowledge/upload-worker.ts'
import { withLongStatements } from '../../../platform/db/long-statements.ts'
import { NO_ACCESS } from '../../../shared/access.ts'
import { type ChangeDeps, change, type RecordedChange } from '../kit/change.ts'

interface Deps extends ChangeDeps {
  readonly log: Logger
}

/** Records what an upload did. Permission was checked when the upload was accepted, so none is checked here. */
export function uploadRecorder({ log, ...deps }: Deps): UploadRecorder {
  const requestOf = ({ workspaceId, operatorId: id }: Upload) => {
    const kind = id.startsWith('adm_') ? 'token' : 'person'
    return { operator: { id, kind, name: '', access: NO_ACCESS, scopes: [] }, workspaceId, log } as const
  }
  return {
    record: (upload, document, write) =>
      change(deps, requestOf(upload), async (tx, now) => {
        const value = await withLongStatements(tx, () => write(tx, now))
        if (!value || value.outcome === 'unchanged') return { value }
        const action = value.outcome === 'added' ? 'document.create' : 'document.update'
        const caused = value.attachments.flatMap(attachmentChange)
        return { value, action, id: value.documentId, fields: changedFieldNames(value, document), caused }
      }),
    recordFailure: (upload, { code }, write) =>
      change(deps, requestOf(upload), async (tx, now) => {
        const value = await write(tx, now)
        return value ? { value, ...failureOf(upload.documentId, code) } : { value }
      }),
  }
}

const failureOf = (id: string, failure: string) =>
  ({ action: 'document.fail', id, fields: ['state', 'failure'], failure }) as const

const ATTACHMENT_ACTIONS = { added: 'create', changed: 'update', relabelled: 'update', deleted: 'delete' } as const

function attachmentChange({ outcome, documentId: id, failure }: Ingested['attachments'][number]): RecordedChange[] {
  if (failure) return [failureOf(id, failure.code)]
  if (outcome === 'unchanged' || outcome === 'failed') return []
  const fields = outcome === 'added' || outcome === 'changed' ? ['content'] : []
  return [{ action: `document.${ATTACHMENT_ACTIONS[outcome]}`, id, fields }]
}

function changedFieldNames({ outcome }: Ingested, document: IncomingDocument): string[] {
  const labels = (['title', 'language', 'source', 'classification', 'regulations', 'acl'] as const).filter(
    (name) => document[name] !== undefined,
  )
  return [...(outcome === 'relabelled' ? [] : ['content']), ...labels]
}
