import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** `Db` of database.ts, which imports this file. */
export type ReadDb = Kysely<Schema>

export interface ReplicaState {
  /** Age of the replica's data; Infinity: unknown, for example because the replica does not respond. */
  readonly lagMs: number
  readonly maxLagMs: number
}

/** Reads that may return data that is seconds old. A decision, and a list an operator has just changed, reads from `Database.db`. */
export interface Reads {
  /** Runs `work` on the replica, and again on the primary if that fails. Without a fresh replica it runs on the primary. */
  run<T>(work: (db: ReadDb) => Promise<T>): Promise<T>
  /** Returns the replica when it has everything that is committed now, or the primary if that takes too long. */
  caughtUp(): Promise<ReadDb>
  /** Undefined: there is no replica. */
  readonly replica: ReplicaState | undefined
}

export const primaryReads = (db: ReadDb): Reads => ({ run: (work) => work(db), caughtUp: async () => db, replica: undefined })
