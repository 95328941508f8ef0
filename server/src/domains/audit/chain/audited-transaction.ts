import type { Db, Tx } from '../../../platform/db/database.ts'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import type { PreparedRecord } from './chain.ts'
import type { AuditWriter } from './writer.ts'

export interface AuditedDeps {
  readonly db: Db
  readonly audit: Pick<AuditWriter, 'chain' | 'leavesPending'>
}

/** A response waits no longer than this for the position of its record, which is durable and sealed. */
export const CHAIN_WAIT_MS = 2_000

const pendingOf = new WeakMap<Tx, PreparedRecord[]>()

/** Where `appendInTransaction` leaves records of this transaction; undefined: it appends them to the chain at once. */
export const pendingRecordsOf = (tx: Tx): PreparedRecord[] | undefined => pendingOf.get(tx)

/** Its records get their positions after the commit, so the transaction holds no lock on the end of the chain. `run` may start it several times. */
export async function auditedTransaction<T>(
  { db, audit }: AuditedDeps,
  work: (tx: Tx) => Promise<T>,
  run: (db: Db, work: (tx: Tx) => Promise<T>) => Promise<T> = (db, work) => db.transaction().execute(work),
): Promise<T> {
  if (!audit.leavesPending) return run(db, work)
  let pending: PreparedRecord[] = []
  const result = await run(db, (tx) => {
    pending = []
    pendingOf.set(tx, pending)
    return work(tx)
  })
  // A job chains what has no position yet (chain-pending.ts).
  if (pending.length > 0) await withDeadline(CHAIN_WAIT_MS, audit.chain(pending), 'the records got no position').catch(() => {})
  return result
}
