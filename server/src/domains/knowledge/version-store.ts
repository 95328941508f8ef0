import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'

/** Ids are TypeIDs. */
interface DocumentId {
  readonly workspaceId: string
  readonly id: string
}

/** The positions of the chunks of one version. Each version of a document has others. */
export interface Positions {
  readonly firstPosition: number
  readonly chunks: number
}

/** Longer than a part takes. */
const EXPIRY = sql<Date>`now() + interval '10 minutes'`
const NOW = sql<Date>`now()`

/** Adds a version that is not active. `expired`: the job that removes versions may begin at once. */
export const insertVersion = (
  tx: Tx,
  { workspaceId, id }: DocumentId,
  { partitionId, firstPosition, chunks }: Positions & { readonly partitionId: number },
  { expired }: { readonly expired: boolean },
): Promise<unknown> =>
  tx
    .insertInto('knowledge_version')
    .values({
      ...{ partition_id: partitionId, workspace_id: uuidOfWorkspace(workspaceId), document_id: uuidOf('doc', id) },
      ...{ first_position: firstPosition, chunks, expires_at: expired ? NOW : EXPIRY },
    })
    .execute()

/** Before each part of a version. Returns false if it has expired. */
export async function extendVersion(tx: Tx, workspaceId: string, partitionId: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('knowledge_version')
    .set({ expires_at: EXPIRY })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('partition_id', '=', partitionId)
    .where('expires_at', '>', NOW)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Before a version becomes active. Returns false if it has expired. */
export async function takeVersion(tx: Tx, workspaceId: string, partitionId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('knowledge_version')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('partition_id', '=', partitionId)
    .where('expires_at', '>', NOW)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Lets a job remove versions that did not become active. Ignores those that did. */
export async function expireVersions(db: Db, workspaceId: string, partitionIds: readonly number[]): Promise<void> {
  if (partitionIds.length === 0) return
  await db
    .updateTable('knowledge_version')
    .set({ expires_at: NOW })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where(sql<boolean>`partition_id = any(${[...partitionIds]}::bigint[])`)
    .execute()
}

/** Ends the writing of all versions of a document. Returns whether there is one, or one that is not removed yet. */
export async function expireAll(tx: Tx, { workspaceId, id }: DocumentId): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('knowledge_version')
    .set({ expires_at: NOW })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('document_id', '=', uuidOf('doc', id))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * The first position from which so many are free. Versions of the document that are not active use some, and `kept`, the active version if its
 * chunks stay for now. The collection must be locked.
 */
export async function freePosition(
  tx: Tx,
  { workspaceId, id }: DocumentId,
  count: number,
  kept: Positions | undefined,
): Promise<number> {
  const rows = await tx
    .selectFrom('knowledge_version')
    .select(['first_position as firstPosition', 'chunks'])
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('document_id', '=', uuidOf('doc', id))
    .execute()
  let free = 0
  for (const { firstPosition, chunks } of [...rows, ...(kept ? [kept] : [])].sort((a, b) => a.firstPosition - b.firstPosition)) {
    if (free + count <= firstPosition) break
    free = Math.max(free, firstPosition + chunks)
  }
  return free
}
