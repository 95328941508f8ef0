import type { ChainEnd } from '../chain/chain.ts'
import { type Checkpoint, isGenuine, parseFrontier } from '../checkpoints/checkpoint.ts'
import { Frontier, leafHash } from '../checkpoints/merkle.ts'

export const FAULT_MESSAGES = {
  missing: 'the record with this sequence is missing',
  unexpected: 'the log has no place for a record with this sequence',
  altered: 'the record was altered after it was sealed',
  replaced: 'the next record continues from another record than this one',
  unlinked: 'the record does not continue from the record before it',
  not_as_signed: 'the record is not the one that a checkpoint was signed over',
  checkpoint_altered: 'the checkpoint that ends with this record was altered after it was signed',
  unsealed: 'the record has no valid seal; only the secret key can make one',
  checkpoint_missing: 'a checkpoint that was signed over these records is missing',
  rolled_back: 'the log is older than the state that this server has seen before',
  seal_missing: 'the audit seal of the Workspace was removed',
  seal_altered: 'the audit seal of the Workspace was not made with the secret key',
  pending_altered: 'a record that waits for its position in the log was altered or forged',
  public_key_replaced: 'the public key of the Workspace does not belong to its signing key',
  chain_end_missing: 'the row with the end of the chain was removed',
  workspace_missing: 'the Workspace was removed from the database',
  keys_unreadable: 'the keys of the Workspace cannot be decrypted: they were overwritten, or sealed with another secret key',
} as const

/** The first fault of a log. Its keys are stored in the audit seal (`LogSeal.stopped`). */
export interface AuditFault {
  /** Sequence of the faulty record; 0: the fault is in the Workspace's keys or audit seal. */
  readonly sequence: number
  /** Last sequence of the range when a checkpoint shows only a range: the faulty record is one of `sequence` to `through`. */
  readonly through?: number
  /** null: the log no longer has the record, or the source cannot look it up. */
  readonly id: string | null
  readonly reason: keyof typeof FAULT_MESSAGES
}

export const faultAt = (reason: AuditFault['reason'], sequence: number, through = sequence): AuditFault => ({
  ...{ sequence, id: null, reason },
  ...(through > sequence && { through }),
})

export interface ObservedRecord {
  readonly sequence: number
  readonly id: string
  /** Computed from the body. */
  readonly hash: Buffer
  readonly hashMatches: boolean
  /** Whether the other stored fields equal those in the body. */
  readonly fieldsMatch: boolean
  /** Position according to the body; undefined: the body cannot be parsed. */
  readonly claimed: { readonly sequence: number; readonly prevHash: string } | undefined
  readonly sealValid?: boolean
}

type SealedEnd = Pick<Checkpoint, 'size' | 'hash'>

/** Where two records do not fit, the later one is trusted if its successor confirms it, so a record is checked when the next is known. */
export class ChainChecker {
  readonly #publicKey: string
  readonly #frontier: Frontier
  /** The last record without a fault, or the chain's start. */
  #last: { readonly sequence: number; readonly hash: Buffer; readonly id: string | null }
  #pending: ObservedRecord | undefined
  #expectedCheckpoints: readonly Checkpoint[] = []
  #sealedEnd: SealedEnd | undefined
  #signedThrough: number
  #fault: AuditFault | undefined
  #records = 0
  #checkpoints = 0

  /** `start`: what the first record continues from (`GENESIS` or a genuine checkpoint). */
  constructor(publicKey: string, start: ChainEnd, frontier: Frontier) {
    this.#publicKey = publicKey
    this.#frontier = frontier
    this.#last = { ...start, id: null }
    this.#signedThrough = start.sequence
  }

  get fault(): AuditFault | undefined {
    return this.#fault
  }

  get counts() {
    return { records: this.#records, checkpoints: this.#checkpoints, signedThrough: this.#signedThrough }
  }

  /** Call it before `addRecord` with the last record that one of them covers. */
  expectCheckpoints(checkpoints: readonly Checkpoint[]): void {
    const { sequence, id } = this.#last
    const later = checkpoints.filter(({ size }) => size !== sequence)
    for (const checkpoint of checkpoints) if (checkpoint.size === sequence) this.#fault ??= this.#checkCheckpoint(checkpoint, id)
    if (later.length > 0) this.#expectedCheckpoints = [...this.#expectedCheckpoints, ...later].toSorted((a, b) => a.size - b.size)
  }

  expectSealedEnd(sealedEnd: SealedEnd): void {
    this.#sealedEnd = sealedEnd
    this.#fault ??= this.#checkSealedEnd()
  }

  addRecord(record: ObservedRecord): void {
    const pending = this.#pending
    this.#pending = record
    if (pending) this.#fault ??= this.#checkRecord(pending, (hash) => continuesFrom(record, pending.sequence, hash))
  }

  /** Call it after the last record. `end`: the stored end of the chain. */
  finish(end: ChainEnd): void {
    const pending = this.#pending
    const isConfirmed = (hash: Buffer) => end.sequence === pending?.sequence && end.hash.equals(hash)
    if (pending) this.#fault ??= this.#checkRecord(pending, isConfirmed)
    this.#fault ??= this.#checkEnd(end)
  }

  #checkRecord(record: ObservedRecord, isConfirmed: (hash: Buffer) => boolean): AuditFault | undefined {
    const fault = this.#findFault(record, isConfirmed)
    if (fault) return fault
    const checkpoints = this.#takeCheckpoints(record.sequence)
    const before = checkpoints.length > 0 ? new Frontier(this.#frontier.size, this.#frontier.peaks) : undefined
    this.#last = record
    this.#records += 1
    this.#frontier.append(leafHash(record.hash))
    const checkpointFault = checkpoints
      .map((checkpoint) => this.#checkCheckpoint(checkpoint, record.id, before))
      .find((found) => found !== undefined)
    return checkpointFault ?? this.#checkSealedEnd()
  }

  #findFault(record: ObservedRecord, isConfirmed: (hash: Buffer) => boolean): AuditFault | undefined {
    const { sequence, id, hashMatches, fieldsMatch, sealValid } = record
    const next = this.#last.sequence + 1
    if (sequence < next) return { sequence, id, reason: 'unexpected' }
    if (sequence > next) return faultAt('missing', next)
    // A seal fails when the record was altered or moved without the secret key.
    if (hashMatches && sealValid === false) return { sequence, id, reason: 'unsealed' }
    return this.#checkLink(record, isConfirmed) ?? (hashMatches && fieldsMatch ? undefined : { sequence, id, reason: 'altered' })
  }

  #takeCheckpoints(size: number): readonly Checkpoint[] {
    if (this.#expectedCheckpoints[0]?.size !== size) return []
    const taken = this.#expectedCheckpoints.filter((checkpoint) => checkpoint.size === size)
    this.#expectedCheckpoints = this.#expectedCheckpoints.slice(taken.length)
    return taken
  }

  /** The fault is a range: no checkpoint is left that would narrow it. */
  #checkSealedEnd(): AuditFault | undefined {
    const end = this.#sealedEnd
    if (end?.size !== this.#last.sequence || end.hash === this.#last.hash.toString('hex')) return undefined
    return faultAt('not_as_signed', Math.min(this.#signedThrough + 1, end.size), end.size)
  }

  #checkLink(
    { sequence, id, hash, hashMatches, claimed }: ObservedRecord,
    isConfirmed: (hash: Buffer) => boolean,
  ): AuditFault | undefined {
    if (!hashMatches || !claimed || claimed.prevHash === this.#last.hash.toString('hex')) return undefined
    // A sealed record was moved back: another record has its sequence.
    if (claimed.sequence < sequence) return faultAt('replaced', Math.max(claimed.sequence, this.#signedThrough + 1))
    if (claimed.sequence > sequence) return undefined
    const isTrusted = this.#last.sequence > this.#signedThrough && isConfirmed(hash)
    return isTrusted
      ? { sequence: this.#last.sequence, id: this.#last.id, reason: 'replaced' }
      : { sequence, id, reason: 'unlinked' }
  }

  /** `before`: the tree without the checkpoint's last record. */
  #checkCheckpoint(checkpoint: Checkpoint, id: string | null, before?: Frontier): AuditFault | undefined {
    if (!isGenuine(checkpoint, this.#publicKey)) return { sequence: checkpoint.size, id, reason: 'checkpoint_altered' }
    if (this.#frontier.root().toString('hex') !== checkpoint.root) {
      // If the root matches with the checkpoint's own last hash, only the last record was replaced.
      before?.append(leafHash(Buffer.from(checkpoint.hash, 'hex')))
      if (before?.root().toString('hex') === checkpoint.root) return { sequence: checkpoint.size, id, reason: 'replaced' }
      return this.#locateFault(checkpoint)
    }
    this.#checkpoints += 1
    this.#signedThrough = checkpoint.size
    return undefined
  }

  #locateFault(checkpoint: Checkpoint): AuditFault {
    const signed = parseFrontier(checkpoint)
    const { start, end } = (signed && this.#frontier.firstDifference(signed)) ?? { start: 0, end: checkpoint.size }
    return faultAt('not_as_signed', Math.max(start, this.#signedThrough) + 1, end)
  }

  #checkEnd(end: ChainEnd): AuditFault | undefined {
    const { sequence, hash, id } = this.#last
    const remaining = this.#expectedCheckpoints[0]
    if (sequence > end.sequence) return faultAt('unexpected', end.sequence + 1)
    if (sequence < end.sequence) return faultAt('missing', sequence + 1)
    if (!hash.equals(end.hash)) return { sequence, id, reason: 'replaced' }
    if (remaining) return faultOfCheckpointBeyondEnd(remaining, end, this.#publicKey)
    const sealed = this.#sealedEnd?.size ?? 0
    return sealed <= end.sequence ? undefined : faultAt('missing', end.sequence + 1, sealed)
  }
}

export const faultOfCheckpointBeyondEnd = (checkpoint: Checkpoint, end: ChainEnd, publicKey: string): AuditFault =>
  isGenuine(checkpoint, publicKey) ? faultAt('missing', end.sequence + 1) : faultAt('checkpoint_altered', checkpoint.size)

const continuesFrom = ({ hashMatches, claimed }: ObservedRecord, sequence: number, hash: Buffer): boolean =>
  hashMatches && claimed?.sequence === sequence + 1 && claimed.prevHash === hash.toString('hex')
