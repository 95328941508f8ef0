import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { eraseEntries } from '../retrieval/entries.ts'
import { type Memory, memoriesOf, toMemory } from './memory-row.ts'
import { deleteEmptyOwners, type LockedOwner, lockOwners } from './owner-store.ts'

/** Erases a memory and its history; only keyed hashes in audit records remain. Returns undefined if there is no such memory. */
export async function eraseMemory(tx: Tx, workspaceId: string, id: string): Promise<Memory | undefined> {
  const workspace = uuidOf('ws', workspaceId)
  const query = () => memoriesOf(tx, workspace).where('item.id', '=', uuidOrNull('mem', id))
  const ownerId = (await query().executeTakeFirst())?.owner_id
  if (ownerId === undefined) return undefined
  await lockOwners(tx, [ownerId])
  // Read again under the lock: another transaction may have erased it.
  const row = await query().where('item.owner_id', '=', ownerId).executeTakeFirst()
  if (!row) return undefined
  await removeMemories(tx, { workspace, id: ownerId }, [row.id])
  await deleteEmptyOwners(tx, workspace, [ownerId])
  return toMemory(row)
}

/** Erases the memories of a user and of the user's sessions in all Applications. Returns their number. */
export async function eraseUser(tx: Tx, workspaceId: string, userId: string): Promise<number> {
  const workspace = uuidOf('ws', workspaceId)
  const ownerRows = await tx
    .selectFrom('memory_owner')
    .select('id')
    .where('workspace_id', '=', workspace)
    .where('user_id', '=', userId)
    .orderBy('id')
    .forUpdate()
    .execute()
  const owners = ownerRows.map(({ id }) => id)
  const rows = await tx
    .deleteFrom('memory_item')
    .where('workspace_id', '=', workspace)
    .where(sql<boolean>`owner_id = any(${owners}::uuid[])`)
    .returning('id')
    .execute()
  await eraseEntries(
    tx,
    rows.map(({ id }) => id),
  )
  await deleteEmptyOwners(tx, workspace, owners)
  return rows.length
}

/** Removes up to `batch` expired memories with their history. Returns the number found; fewer than `batch`: none is left. */
export async function removeExpired(db: Db, now: Date, batch: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const expired = tx
      .selectFrom('memory_item')
      .select(['id', 'owner_id as owner', 'workspace_id as workspace'])
      .where('expires_at', '<=', now)
    const chosen = await expired.orderBy('expires_at').orderBy('id').limit(batch).execute()
    if (chosen.length === 0) return 0
    await lockOwners(tx, [...new Set(chosen.map(({ owner }) => owner))])
    // Read again under the lock: another transaction may have removed it or extended its expiry.
    const chosenIds = chosen.map(({ id }) => id)
    const rows = await expired.where('id', 'in', chosenIds).execute()
    for (const [id, memories] of Map.groupBy(rows, ({ owner }) => owner)) {
      const workspace = memories[0]?.workspace ?? ''
      const ids = memories.map((row) => row.id)
      await removeMemories(tx, { workspace, id }, ids)
      await deleteEmptyOwners(tx, workspace, [id])
    }
    return chosen.length
  })
}

/** Removes memories of a locked owner with their history, which could never be found again. */
export async function removeMemories(tx: Tx, owner: LockedOwner, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await sql<{ id: string }>`
    with recursive gone (id) as (
      select id from memory_item
        where workspace_id = ${owner.workspace} and owner_id = ${owner.id} and id = any(${ids}::uuid[])
      union
      select item.id from memory_item item join gone on item.superseded_by = gone.id
        where item.workspace_id = ${owner.workspace} and item.owner_id = ${owner.id}
    )
    select id from gone`.execute(tx)
  const all = rows.map(({ id }) => id)
  if (all.length === 0) return
  await eraseEntries(tx, all)
  await tx
    .deleteFrom('memory_item')
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where(sql<boolean>`id = any(${all}::uuid[])`)
    .execute()
}
