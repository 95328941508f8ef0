import { readResumption } from '../checkpoints/log-seal.ts'
import type { ChainEnd, RecordSealer } from './chain.ts'

/** The last record that a process has read or appended, and the last resumption by an operator that it knew of then. */
export interface KnownEnd {
  readonly end: ChainEnd
  /** `resumed` of the log's seal. */
  readonly resumed: number
}

/** The chain's end as read with the columns `END_COLUMNS`. */
export interface EndRow extends ChainEnd {
  /** Hash of the record at the known end; null: retention may have removed it. */
  readonly knownHash: Buffer | null
  readonly auditSeal: string | null
}

/** Columns of `audit_head`, for the Workspace `$1` and the sequence `$2` of the known end. */
export const END_COLUMNS = `sequence, hash,
  (select hash from audit_record where workspace_id = $1 and sequence = $2) as "knownHash",
  (select audit_seal from workspace where id = $1) as "auditSeal"`

/** The seal is checked, so that a change in the database cannot hide a loss. */
export const toKnownEnd = (
  workspaceId: string,
  { sequence, hash, auditSeal }: EndRow,
  { seals }: Pick<RecordSealer, 'seals'>,
): KnownEnd => ({ end: { sequence, hash }, resumed: readResumption(auditSeal, workspaceId, seals) })

/** Whether the chain no longer contains the known record. Other gaps are found when the next checkpoint is signed. */
export function isCutOff({ end: known }: KnownEnd, { sequence, hash, knownHash }: EndRow): boolean {
  const found = sequence === known.sequence ? hash : knownHash
  return sequence < known.sequence || (found !== null && !found.equals(known.hash))
}
