import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { withLongStatements } from '../../../platform/db/long-statements.ts'
import { listPartitions, type Partition } from '../../../platform/db/partitions/list-partitions.ts'
import { timeOfId } from '../../../platform/db/partitions/months.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { findFirstSequence } from '../audit-store.ts'
import { lockChainEnd } from '../chain/append-in-transaction.ts'
import { findCheckpointCovering } from '../checkpoints/checkpoint-store.ts'
import { findLastRemovable, lockSeal, type Retention, recordRemoval } from './retention.ts'

const TABLE = 'audit_record'
const DAY_MS = 86_400_000
/** A partition with more records than this is emptied at once, because deleting them one by one costs as much as writing them. */
const MANY_RECORDS = 1_000_000
/** How long expired records wait for the end of their partition: longer than a month. */
const LONGEST_WAIT_MS = 32 * DAY_MS
/** Readers of the partition wait this long at most. */
const TABLE_LOCK_MS = 500

/** How long expired records may stay in the log so that their partition can be emptied as a whole. */
export async function findLongestWait(db: Db, many = MANY_RECORDS): Promise<number> {
  return (await listPartitions(db, TABLE)).some(({ rows }) => rows > many) ? LONGEST_WAIT_MS : 0
}

interface Deps {
  /** Undefined: nothing is removed from this Workspace. */
  readonly findRetention: (workspaceId: string) => Promise<Retention | undefined>
  readonly now: Date
}

/**
 * Empties the oldest partitions whose records have expired for every Workspace: their space is free at once, and PostgreSQL has no
 * dead rows to collect. Everything else is as in pruneRecords. Returns the names of the partitions.
 */
export async function emptyExpiredMonths(db: Db, deps: Deps): Promise<string[]> {
  const emptied: string[] = []
  const names = (await listPartitions(db, TABLE)).map(({ name }) => name)
  for (const name of names) {
    // The job of the partitions may have dropped it since.
    const partition = (await listPartitions(db, TABLE)).find((other) => other.name === name)
    if (!partition) continue
    const isPast = partition.to !== null && timeOfId(partition.to) < deps.now
    const ends = isPast ? await findEnds(db, partition.name) : undefined
    if (!ends) break
    if (ends.size === 0) continue
    const logs = await findExpiredLogs(db, ends, deps)
    if (!logs) break
    await emptyPartition(db, partition, { partitions: await listPartitions(db, TABLE), logs, ends, now: deps.now })
    emptied.push(partition.name)
  }
  return emptied
}

/** A log whose records in the partition have expired, up to a checkpoint. */
interface ExpiredLog {
  readonly workspaceId: string
  readonly retention: Retention
  readonly through: number
}

/** The last sequence in a partition, by Workspace. One look-up in the index for each Workspace. */
async function findEnds(db: Db, partition: string): Promise<ReadonlyMap<string, number>> {
  const table = sql.table(partition)
  const { rows } = await sql<{ workspace: string; end: number }>`
    with recursive owner as (
      (select workspace_id from ${table} order by workspace_id limit 1)
      union all
      select (select workspace_id from ${table} where workspace_id > owner.workspace_id order by workspace_id limit 1)
      from owner where owner.workspace_id is not null
    )
    select workspace_id as workspace, (select max(sequence) from ${table} as record where record.workspace_id = owner.workspace_id) as end
    from owner where workspace_id is not null order by 1`.execute(db)
  return new Map(rows.map(({ workspace, end }) => [toId('ws', workspace), end]))
}

/** Undefined: some of the records have not expired. */
async function findExpiredLogs(
  db: Db,
  ends: ReadonlyMap<string, number>,
  { findRetention }: Deps,
): Promise<readonly ExpiredLog[] | undefined> {
  const logs: ExpiredLog[] = []
  for (const [workspaceId, end] of ends) {
    const retention = await findRetention(workspaceId)
    const last = retention && (await findLastRemovable(db, workspaceId, retention))
    const checkpoint = last && (await findCheckpointCovering(db, workspaceId, end))
    if (!retention || !last || !checkpoint || checkpoint.size > last.size) return undefined
    logs.push({ workspaceId, retention, through: checkpoint.size })
  }
  return logs
}

interface Emptying {
  readonly partitions: readonly Partition[]
  readonly logs: readonly ExpiredLog[]
  readonly ends: ReadonlyMap<string, number>
  readonly now: Date
}

/** In one transaction: the seals, the records of other partitions up to the checkpoints, the partition, and a record of the removal. */
const emptyPartition = (db: Db, { name }: Partition, { partitions, logs, ends, now }: Emptying): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const removals = []
    for (const { workspaceId, retention, through } of logs) {
      const seal = await lockSeal(tx, workspaceId, retention.keys)
      const first = await findFirstSequence(tx, workspaceId)
      // Another node may have removed them in the meantime.
      if (first === undefined || first > through) return
      removals.push({ workspaceId, removal: { keys: retention.keys, now, seal, first, through } })
    }
    await withLongStatements(tx, async () => {
      for (const { workspaceId, through } of logs) {
        const others = partitions.filter((other) => other.name !== name)
        await removeOthers(tx, uuidOf('ws', workspaceId), through, others)
      }
    })
    await sql`set local lock_timeout = ${sql.lit(TABLE_LOCK_MS)}`.execute(tx)
    // Appends lock the end of the chain first and then read the table.
    for (const { workspaceId } of logs) await lockChainEnd(tx, workspaceId)
    await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(tx)
    const found = await findEnds(tx, name)
    if (found.size !== ends.size || [...found].some(([id, end]) => ends.get(id) !== end))
      throw new Error(`${name} got records while it was to be emptied: the next attempt follows`)
    await sql`truncate ${sql.table(name)}`.execute(tx)
    for (const { workspaceId, removal } of removals) await recordRemoval(tx, workspaceId, removal)
  })

/** The records next to that of a long request may be in another partition. */
async function removeOthers(tx: Tx, workspace: string, through: number, partitions: readonly Partition[]): Promise<void> {
  await tx.deleteFrom('audit_checkpoint').where('workspace_id', '=', workspace).where('size', '<', through).execute()
  for (const { name } of partitions)
    await sql`delete from ${sql.table(name)} where workspace_id = ${workspace} and sequence <= ${through}`.execute(tx)
}
