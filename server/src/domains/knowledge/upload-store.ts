import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import { hasEnded } from '../../platform/queue/lease.ts'
import { lockCollection } from './collection-store.ts'
import { lockDocument } from './document-store.ts'
import { markDocument } from './mark-document.ts'
import type { IncomingUpload, Upload } from './upload.ts'
import { readParts, type StoredFile } from './upload-parts.ts'

/** An upload whose node has stopped is claimed again after this time. The lease is renewed while a node works on it. */
export const UPLOAD_LEASE_MS = 60_000

interface Enqueued {
  readonly file: StoredFile
  readonly operatorId: string
  readonly now: Date
  /** Whether the caller processes the upload itself. */
  readonly isClaimed: boolean
}

/**
 * Queues a stored file. It replaces an earlier upload of the same key that waits or has failed. Returns undefined if there
 * is no such collection.
 */
export async function enqueueUpload(
  tx: Tx,
  workspaceId: string,
  collectionId: string,
  { key, bytes, ...request }: IncomingUpload,
  { file, operatorId, now, isClaimed }: Enqueued,
): Promise<Upload | undefined> {
  const collection = await lockCollection(tx, workspaceId, collectionId)
  if (!collection) return undefined
  const documentId = await markDocument(tx, collection, { key, ...request, bytes: bytes?.length ?? 0 }, { state: 'queued', now })
  const attempts = isClaimed ? 1 : 0
  await tx
    .insertInto('knowledge_upload')
    .values({
      id: file.uuid,
      workspace_id: uuidOfWorkspace(workspaceId),
      document_id: uuidOf('doc', documentId),
      operator_id: operatorId,
      request: JSON.stringify(request),
      file: file.whole,
      attempts,
      created_at: now,
      leased_until: isClaimed ? leaseEnd(now) : null,
      failed_at: null,
    })
    .execute()
  return { uuid: file.uuid, workspaceId, documentId, operatorId, request, attempts }
}

const leaseEnd = (now: Date): Date => new Date(now.getTime() + UPLOAD_LEASE_MS)

/** Claims up to `most` uploads of all Workspaces that no node works on, oldest first. */
export async function claimUploads(db: Db, now: Date, most: number): Promise<Upload[]> {
  const free = db
    .selectFrom('knowledge_upload')
    .select('id')
    .where('failed_at', 'is', null)
    .where(hasEnded(sql`leased_until`, now, UPLOAD_LEASE_MS))
    .orderBy('created_at')
    .limit(most)
    .forUpdate()
    .skipLocked()
  const rows = await db
    .updateTable('knowledge_upload')
    .set({ leased_until: leaseEnd(now), attempts: sql<number>`attempts + 1` })
    .where('id', 'in', free)
    .returning(['id as uuid', 'workspace_id', 'document_id', 'operator_id', 'request', 'attempts'])
    .execute()
  return rows.map(({ workspace_id, document_id, operator_id, ...upload }) => ({
    ...upload,
    workspaceId: toId('ws', workspace_id),
    documentId: toId('doc', document_id),
    operatorId: operator_id,
  }))
}

const uploadIn = (db: Db, { workspaceId, uuid }: Upload) =>
  db
    .selectFrom('knowledge_upload as upload')
    .where('upload.workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('upload.id', '=', uuid)

const updateOf = (db: Db, { workspaceId, uuid }: Upload) =>
  db.updateTable('knowledge_upload').where('workspace_id', '=', uuidOfWorkspace(workspaceId)).where('id', '=', uuid)

/** The file; null: it is fetched. Undefined: the upload was replaced, or its document deleted. */
export async function readUpload(db: Db, upload: Upload): Promise<Buffer | null | undefined> {
  const row = await uploadIn(db, upload).select('file').executeTakeFirst()
  if (!row || row.file !== null || upload.request.url !== undefined) return row?.file
  return Buffer.concat(await readParts(db, upload))
}

export const renewUpload = (db: Db, upload: Upload, now: Date): Promise<unknown> =>
  updateOf(db, upload)
    .set({ leased_until: leaseEnd(now) })
    .execute()

/** Shows that the text of the file is read. */
export async function markParsed(db: Db, upload: Upload): Promise<void> {
  await db
    .updateTable('knowledge_document')
    .set({ state: 'parsed' })
    .where('workspace_id', '=', uuidOfWorkspace(upload.workspaceId))
    .where('id', '=', uuidOf('doc', upload.documentId))
    .where(({ exists }) => exists(uploadIn(db, upload).select('upload.id')))
    .execute()
}

/** Locks the document's collection and the upload until the transaction ends. Returns false if the upload was replaced or is gone. */
export async function holdUpload(tx: Tx, upload: Upload): Promise<boolean> {
  if (!(await lockDocument(tx, upload.workspaceId, upload.documentId))) return false
  return (await uploadIn(tx, upload).select('upload.id').forUpdate().executeTakeFirst()) !== undefined
}

/** Keeps the file for another attempt. The upload must be held. */
export async function failUpload(tx: Tx, upload: Upload, failure: { code: string; message: string }, now: Date): Promise<void> {
  await tx
    .updateTable('knowledge_document')
    .set({ state: 'failed', failure: JSON.stringify({ ...failure, at: now.toISOString() }) })
    .where('workspace_id', '=', uuidOfWorkspace(upload.workspaceId))
    .where('id', '=', uuidOf('doc', upload.documentId))
    .execute()
  await updateOf(tx, upload).set({ leased_until: null, failed_at: now }).execute()
}

/** Undoes the queueing of an upload that could not be processed, for a caller who is told so. A document without content is deleted. */
export async function withdrawUpload(tx: Tx, upload: Upload): Promise<void> {
  if (!(await holdUpload(tx, upload))) return
  const [workspace, document] = [uuidOfWorkspace(upload.workspaceId), uuidOf('doc', upload.documentId)]
  await tx.deleteFrom('knowledge_upload').where('workspace_id', '=', workspace).where('id', '=', upload.uuid).execute()
  await tx
    .updateTable('knowledge_document')
    .set({ state: 'indexed' })
    .where('workspace_id', '=', workspace)
    .where('id', '=', document)
    .execute()
  await tx
    .deleteFrom('knowledge_document')
    .where('workspace_id', '=', workspace)
    .where('id', '=', document)
    .where('version', '=', 0)
    .execute()
}

/** Queues the failed upload of a document again. Returns undefined if there is no such document, and false if no failed upload of it is kept. */
export async function retryUpload(tx: Tx, workspaceId: string, documentId: string): Promise<boolean | undefined> {
  if (!(await lockDocument(tx, workspaceId, documentId))) return undefined
  const [workspace, uuid] = [uuidOfWorkspace(workspaceId), uuidOf('doc', documentId)]
  const { numUpdatedRows } = await tx
    .updateTable('knowledge_upload')
    .set({ failed_at: null, leased_until: null, attempts: 0 })
    .where('workspace_id', '=', workspace)
    .where('document_id', '=', uuid)
    .where('failed_at', 'is not', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await tx
    .updateTable('knowledge_document')
    .set({ state: 'queued', failure: null })
    .where('workspace_id', '=', workspace)
    .where('id', '=', uuid)
    .execute()
  return true
}

/** Deletes files of uploads that failed before this time. Their documents keep the failure. Returns how many were deleted. */
export async function removeFailedUploads(db: Db, before: Date, most: number): Promise<number> {
  const due = db.selectFrom('knowledge_upload').select('id').where('failed_at', '<', before).orderBy('failed_at').limit(most)
  const { numDeletedRows } = await db.deleteFrom('knowledge_upload').where('id', 'in', due).executeTakeFirst()
  return Number(numDeletedRows)
}
