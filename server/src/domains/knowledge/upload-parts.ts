import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { newUuid } from '../../platform/lib/id.ts'

/** Larger files are stored in parts of this size: a statement with a whole file would block the embedded database for a second. */
export const PART_BYTES = 512 << 10

/** A file that is stored for an upload. */
export interface StoredFile {
  /** The UUID of its upload. */
  readonly uuid: string
  /** Null: the file is stored in parts, or fetched from a URL. */
  readonly whole: Buffer | null
}

/** Stores a file in parts if it is large, before the transaction that queues its upload. Parts without an upload are removed by a job. */
export async function storeUploadFile(
  db: Db,
  workspaceId: string,
  bytes: Uint8Array | undefined,
  now: Date,
): Promise<StoredFile> {
  const uuid = newUuid()
  if (bytes === undefined) return { uuid, whole: null }
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.length <= PART_BYTES) return { uuid, whole: file }
  for (let at = 0; at < file.length; at += PART_BYTES) {
    const part = { workspace_id: uuidOfWorkspace(workspaceId), upload_id: uuid, part: at / PART_BYTES, created_at: now }
    await db
      .insertInto('knowledge_upload_part')
      .values({ ...part, file: file.subarray(at, at + PART_BYTES) })
      .execute()
  }
  return { uuid, whole: null }
}

/** The parts of a file; empty: it has none. */
export async function readParts(
  db: Db,
  { workspaceId, uuid }: { readonly workspaceId: string; readonly uuid: string },
): Promise<readonly Buffer[]> {
  const parts: Buffer[] = []
  for (;;) {
    const next = await db
      .selectFrom('knowledge_upload_part')
      .select('file')
      .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
      .where('upload_id', '=', uuid)
      .where('part', '=', parts.length)
      .executeTakeFirst()
    if (!next) return parts
    parts.push(next.file)
  }
}

/** Removes up to `most` parts that were stored before this time and have no upload. Returns how many. */
export async function removeUnusedParts(db: Db, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from knowledge_upload_part where ctid = any(array(
      select ctid from knowledge_upload_part as part where created_at < ${before}
        and not exists (select from knowledge_upload as upload where upload.id = part.upload_id) limit ${most}))`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
