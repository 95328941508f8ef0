import type { ChainEnd } from './chain.ts'
import { type Checkpoint, frontierOf, isGenuine } from './checkpoint.ts'
import { Frontier, leafHash } from './merkle.ts'

/** What can be wrong with a log, and how to say it. */
export const FAULTS = {
  missing: 'there is no record in this place',
  unexpected: 'there should be no record in this place',
  altered: 'the record is not the one that was sealed',
  replaced: 'the chain goes on from another record than the one in this place',
  unlinked: 'the record does not follow the one before it',
  not_as_signed: 'the record is not the one that a checkpoint was signed over',
  checkpoint_altered: 'the checkpoint that ends with this record is not the one that was signed',
  unsealed: 'the record does not carry the seal that only the secret key can make',
  checkpoint_missing: 'a checkpoint that was signed over these records is missing',
  rolled_back: 'the log has fallen behind what this server has seen of it',
  unvouched: 'the log is older than its seal, and no checkpoint vouches for these records',
  seal_missing: 'the audit seal of the Workspace was removed',
  seal_altered: 'the audit seal of the Workspace is not one that the secret key has made',
  public_key_replaced: 'the public key of the Workspace does not belong to its signing key',
  chain_end_missing: 'the end of the chain was removed',
  workspace_missing: 'the Workspace was removed from the database',
  keys_unreadable: 'the keys of the Workspace do not open: overwritten, or made with another secret key',
} as const

/** The first bad record. */
export interface Bad {
  /** 0: it is not a record that is bad, but the Workspace's keys or its seal. */
  readonly sequence: number
  /** Where a checkpoint tells only a range: the first bad record is one of `sequence` to `through`. */
  readonly through?: number
  /** null where the log has no such record any more, or the source cannot look it up. */
  readonly id: string | null
  readonly reason: keyof typeof FAULTS
}

/** A record as found, whatever it was found in. */
export interface Found {
  /** Its place, as far as the source says. */
  readonly sequence: number
  readonly id: string
  /** SHA-256 of its body, worked out anew. */
  readonly hash: Buffer
  /** Whether that is the hash that stands beside it. */
  readonly intact: boolean
  /** Whether everything else that stands beside it agrees with the body. */
  readonly agrees: boolean
  /** What the body says of its place; undefined when it cannot be read. */
  readonly claims: { readonly sequence: number; readonly prevHash: string } | undefined
  /** Whether it carries the seal that it has to carry; absent where none is required, or the source does not tell. */
  readonly sealed?: boolean
}

/** What the Workspace's seal says: the last record that a checkpoint covers. */
type Vouched = Pick<Checkpoint, 'size' | 'hash'>

/**
 * Walks along a chain, one record after the other, and stops at the first that is bad.
 *
 * A record vouches for the one before it, whose hash it holds. So where two neighbours do not fit, the later one is believed
 * if its own successor (or the chain's end) bears it out: this is why a record is judged only when the next one is known.
 */
export class ChainChecker {
  readonly #publicKey: string
  readonly #frontier: Frontier
  /** Place and hash of the last record that was found good, or of what the chain begins behind. */
  #last: { readonly sequence: number; readonly hash: Buffer; readonly id: string | null }
  #pending: Found | undefined
  #expected: Checkpoint[] = []
  #vouched: Vouched | undefined
  #signedThrough: number
  #bad: Bad | undefined
  #records = 0
  #checkpoints = 0

  /** `start` is what the first record follows, beyond doubt: nothing, or a genuine checkpoint. */
  constructor(publicKey: string, start: ChainEnd, frontier: Frontier) {
    this.#publicKey = publicKey
    this.#frontier = frontier
    this.#last = { ...start, id: null }
    this.#signedThrough = start.sequence
  }

  get bad(): Bad | undefined {
    return this.#bad
  }

  get counts() {
    return { records: this.#records, checkpoints: this.#checkpoints, signedThrough: this.#signedThrough }
  }

  /** A checkpoint to be met; tell of it before the record with which it ends. */
  expect(checkpoint: Checkpoint): void {
    if (checkpoint.size === this.#last.sequence) this.#bad ??= this.#meet(checkpoint, this.#last.id)
    else this.#expected = [...this.#expected, checkpoint].sort((a, b) => a.size - b.size)
  }

  /** What the Workspace's seal says of the record with which the last checkpoint ends. */
  expectVouched(vouched: Vouched): void {
    this.#vouched = vouched
    const { sequence, hash } = this.#last
    if (vouched.size === sequence && vouched.hash !== hash.toString('hex')) this.#bad ??= this.#unlikeVouched(vouched)
  }

  /** The next record. */
  next(found: Found): void {
    const pending = this.#pending
    this.#pending = found
    if (pending) this.#bad ??= this.#judge(pending, (hash) => vouches(found, pending.sequence, hash))
  }

  /** That was the last one; `end` is where the chain says it ends. */
  finish(end: ChainEnd): void {
    const pending = this.#pending
    if (pending) this.#bad ??= this.#judge(pending, (hash) => end.sequence === pending.sequence && end.hash.equals(hash))
    this.#bad ??= this.#ends(end)
  }

  #judge(found: Found, isBorneOut: (hash: Buffer) => boolean): Bad | undefined {
    const bad = this.#place(found) ?? this.#forged(found) ?? this.#link(found, isBorneOut) ?? this.#self(found)
    if (bad) return bad
    const met = this.#expected.filter(({ size }) => size === found.sequence)
    this.#expected = this.#expected.slice(met.length)
    const before = met.length > 0 ? new Frontier(this.#frontier.size, this.#frontier.peaks) : undefined
    this.#last = found
    this.#records += 1
    this.#frontier.append(leafHash(found.hash))
    const fault = met.map((checkpoint) => this.#meet(checkpoint, found.id, before)).find((one) => one !== undefined)
    const vouched = this.#vouched
    if (fault || vouched?.size !== found.sequence || vouched.hash === found.hash.toString('hex')) return fault
    return this.#unlikeVouched(vouched)
  }

  /** Made anew by somebody without the secret key: a record that was altered, or one that moved up into its place. */
  #forged({ sequence, id, intact, sealed }: Found): Bad | undefined {
    return intact && sealed === false ? { sequence, id, reason: 'unsealed' } : undefined
  }

  /** No checkpoint is left that would tell more exactly. */
  #unlikeVouched({ size }: Vouched): Bad {
    const sequence = Math.min(this.#signedThrough + 1, size)
    return { sequence, ...(size > sequence && { through: size }), id: null, reason: 'not_as_signed' }
  }

  #place({ sequence, id }: Found): Bad | undefined {
    const next = this.#last.sequence + 1
    if (sequence < next) return { sequence, id, reason: 'unexpected' }
    if (sequence > next) return { sequence: next, id: null, reason: 'missing' }
    return undefined
  }

  #link({ sequence, id, hash, intact, claims }: Found, isBorneOut: (hash: Buffer) => boolean): Bad | undefined {
    if (!intact || !claims || claims.prevHash === this.#last.hash.toString('hex')) return undefined
    // A sealed record that was pushed back: something stands in the place that was its own.
    if (claims.sequence < sequence)
      return { sequence: Math.max(claims.sequence, this.#signedThrough + 1), id: null, reason: 'replaced' }
    if (claims.sequence > sequence) return undefined
    const believed = this.#last.sequence > this.#signedThrough && isBorneOut(hash)
    return believed
      ? { sequence: this.#last.sequence, id: this.#last.id, reason: 'replaced' }
      : { sequence, id, reason: 'unlinked' }
  }

  #self({ sequence, id, intact, agrees }: Found): Bad | undefined {
    return intact && agrees ? undefined : { sequence, id, reason: 'altered' }
  }

  /** `before`: the tree without the checkpoint's last record. */
  #meet(checkpoint: Checkpoint, id: string | null, before?: Frontier): Bad | undefined {
    if (!isGenuine(checkpoint, this.#publicKey)) return { sequence: checkpoint.size, id, reason: 'checkpoint_altered' }
    if (this.#frontier.root().toString('hex') !== checkpoint.root) {
      // The checkpoint tells the hash of its last record: with that one in its place, is all well?
      before?.append(leafHash(Buffer.from(checkpoint.hash, 'hex')))
      if (before?.root().toString('hex') === checkpoint.root) return { sequence: checkpoint.size, id, reason: 'replaced' }
      return this.#narrowed(checkpoint)
    }
    this.#checkpoints += 1
    this.#signedThrough = checkpoint.size
    return undefined
  }

  /** As far as the peaks of the signed tree tell it. */
  #narrowed(checkpoint: Checkpoint): Bad {
    const signed = frontierOf(checkpoint)
    const { start, end } = (signed && this.#frontier.firstDifference(signed)) ?? { start: 0, end: checkpoint.size }
    const sequence = Math.max(start, this.#signedThrough) + 1
    return { sequence, ...(end > sequence && { through: end }), id: null, reason: 'not_as_signed' }
  }

  #ends(end: ChainEnd): Bad | undefined {
    const { sequence, hash, id } = this.#last
    const beyond = this.#expected[0]
    if (sequence > end.sequence) return { sequence: end.sequence + 1, id: null, reason: 'unexpected' }
    if (sequence < end.sequence) return { sequence: sequence + 1, id: null, reason: 'missing' }
    if (!hash.equals(end.hash)) return { sequence, id, reason: 'replaced' }
    if (beyond) return cutOff(beyond, end, this.#publicKey)
    const vouched = this.#vouched?.size ?? 0
    if (vouched <= end.sequence) return undefined
    return { sequence: end.sequence + 1, ...(vouched > end.sequence + 1 && { through: vouched }), id: null, reason: 'missing' }
  }
}

/** What a checkpoint says that covers more records than there are. */
export const cutOff = (checkpoint: Checkpoint, end: ChainEnd, publicKey: string): Bad =>
  isGenuine(checkpoint, publicKey)
    ? { sequence: end.sequence + 1, id: null, reason: 'missing' }
    : { sequence: checkpoint.size, id: null, reason: 'checkpoint_altered' }

/** Whether `next` is a sealed record that follows the one with `hash` in the place before its own. */
const vouches = ({ intact, claims }: Found, sequence: number, hash: Buffer): boolean =>
  intact && claims?.sequence === sequence + 1 && claims.prevHash === hash.toString('hex')
