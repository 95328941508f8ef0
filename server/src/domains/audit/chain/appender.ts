import pg from 'pg'
import type { PlacedRecord, PreparedRecord, RecordSealer } from './chain.ts'

export interface AppenderOptions {
  /** Timeout of one statement; a slower connection is closed. */
  readonly statementTimeoutMs: number
  /** Called if the chain in the database was cut off, or rewritten up to record `sequence`. */
  readonly onAlarm: (workspaceId: string, sequence: number) => void
  /** Returns the sealer of a Workspace's records. */
  readonly findSealer: (workspaceId: string) => Promise<RecordSealer>
}

/** Appends groups of records to one Workspace's chain, one group at a time. */
export interface Appender {
  /**
   * Resolves when all records are durable in the chain. Throws when they are rejected (isRejected), or the database cannot be reached
   * until `deadline` (in `elapsed` milliseconds; at least one attempt is made).
   */
  commit(records: readonly PreparedRecord[], deadline: number): Promise<readonly PlacedRecord[]>
}

/** The Workspace has no row with the end of its chain. */
export class NoChainError extends Error {}

/** Another record with the same id is in the log. */
export class DuplicateRecordError extends Error {}

/** Whether one of the records is at fault: a duplicate id or an invalid value (SQLSTATE class 22 or 23). */
export const isRejected = (cause: unknown): boolean =>
  cause instanceof DuplicateRecordError || (cause instanceof pg.DatabaseError && /^2[23]/.test(cause.code ?? ''))

/** Whether retries cannot help. */
export const isPermanent = (cause: unknown): boolean => cause instanceof NoChainError || isRejected(cause)

/** Pauses between attempts, in milliseconds. */
export const FIRST_RETRY_MS = 25
export const nextRetryMs = (pause: number): number => Math.min(2 * pause, 400)
