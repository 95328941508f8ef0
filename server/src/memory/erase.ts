import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { fromId } from '../lib/id.ts'
import { removeEntries } from '../retrieval/entries.ts'
import type { Memory } from './memory.ts'
import { memoriesOf, toMemory, uuidOf } from './memory-row.ts'
import { forgetIdle, type HeldOwner, holdOwners } from './owner-store.ts'

/**
 * Erases one memory and the history behind it: rows, postings and vectors. What is left of it are keyed hashes in audit records.
 * Answers what it was; undefined when the Workspace has no such memory.
 */
export async function eraseMemory(tx: Tx, workspaceId: string, id: string): Promise<Memory | undefined> {
  const uuid = fromId('mem', id)
  if (uuid === undefined) return undefined
  const workspace = uuidOf('ws', workspaceId)
  const found = () => memoriesOf(tx, workspace).where('item.id', '=', uuid)
  const ownerId = (await found().executeTakeFirst())?.owner_id
  if (ownerId === undefined) return undefined
  await holdOwners(tx, [ownerId])
  // Somebody may have been quicker.
  const row = await found().where('item.owner_id', '=', ownerId).executeTakeFirst()
  if (!row) return undefined
  await removeMemories(tx, { workspace, id: ownerId }, [uuid])
  await forgetIdle(tx, workspace, [ownerId])
  return toMemory(row)
}

/** Erases all that is the user's own, in every Application: the user's memories and those of the user's sessions. Answers how many. */
export async function eraseUser(tx: Tx, workspaceId: string, userId: string): Promise<number> {
  const workspace = uuidOf('ws', workspaceId)
  const own = await tx
    .selectFrom('memory_owner')
    .select('id')
    .where('workspace_id', '=', workspace)
    .where('user_id', '=', userId)
    .orderBy('id')
    .forUpdate()
    .execute()
  let erased = 0
  for (const owners of batchesOf(own.map(({ id }) => id))) {
    const rows = await tx
      .deleteFrom('memory_item')
      .where('workspace_id', '=', workspace)
      .where('owner_id', 'in', owners)
      .returning('id')
      .execute()
    await unlist(
      tx,
      rows.map(({ id }) => id),
    )
    await forgetIdle(tx, workspace, owners)
    erased += rows.length
  }
  return erased
}

/**
 * Removes up to `batch` memories whose time is up, with the history behind them. Nobody finds them before that either: recall reads
 * the clock. Answers how many; fewer than `batch`: that was all.
 */
export async function removeExpired(db: Db, now: Date, batch: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const due = tx
      .selectFrom('memory_item')
      .select(['id', 'owner_id as owner', 'workspace_id as workspace'])
      .where('expires_at', '<=', now)
    const chosen = await due.orderBy('expires_at').orderBy('id').limit(batch).execute()
    if (chosen.length === 0) return 0
    await holdOwners(tx, [...new Set(chosen.map(({ owner }) => owner))])
    // Somebody may have removed it, or had it remembered for longer.
    const rows = await due
      .where(
        'id',
        'in',
        chosen.map(({ id }) => id),
      )
      .execute()
    const byOwner = Map.groupBy(rows, ({ owner }) => owner)
    for (const [id, own] of byOwner) {
      const workspace = own[0]?.workspace ?? ''
      await removeMemories(
        tx,
        { workspace, id },
        own.map((row) => row.id),
      )
      await forgetIdle(tx, workspace, [id])
    }
    return chosen.length
  })
}

/** Removes memories of a held owner, each with the history behind it: what can never be found again is not kept for longer. */
export async function removeMemories(tx: Tx, owner: HeldOwner, ids: readonly string[]): Promise<void> {
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
  await unlist(tx, all)
  await tx
    .deleteFrom('memory_item')
    .where('workspace_id', '=', owner.workspace)
    .where('owner_id', '=', owner.id)
    .where(sql<boolean>`id = any(${all}::uuid[])`)
    .execute()
}

/** Takes any number of memories out of the index. */
async function unlist(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const batch of batchesOf(ids)) await removeEntries(tx, batch)
}

/** A statement holds no more than 65,535 values. */
const BATCH = 1_000
const batchesOf = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, index) => ids.slice(index * BATCH, (index + 1) * BATCH))
