import type { Db } from '../../../platform/db/database.ts'
import { findHashes, findRepeatedIds } from '../audit-store.ts'
import { type ChainEnd, GENESIS } from '../chain/chain.ts'
import { decodeGroupSeal, type GroupSeal } from '../chain/group-seal.ts'

/** The fields of a record that the checker reads. */
export interface SealedRow {
  readonly id: string
  readonly sequence: number
  readonly hash: Buffer
  readonly seal: Buffer | null
}

/** The part of a log in which the records exist that groups are sealed behind. */
export interface ComparableLog {
  /** Predecessor of its first record: retention has removed the records before, or an operator has accepted them. */
  readonly start: ChainEnd
  /** Up to this sequence, groups may be sealed behind records before `start`: they were compared when a checkpoint was signed. */
  readonly signedThrough: number
}

/**
 * Checks, over the records of a log in order, that each group is complete, contiguous and in order, and that the chain contains the
 * record that it is sealed behind. No record may be in the log twice. Seals of single positions are between groups. The seals themselves are checked elsewhere.
 */
export class GroupChecker {
  readonly #db: Db
  readonly #workspaceId: string
  readonly #log: ComparableLog
  /** The group that the next record must continue. */
  #open: GroupSeal | undefined
  #anchors: ReadonlyMap<number, Buffer> = new Map()
  #repeated: ReadonlySet<string> = new Set()

  constructor(db: Db, workspaceId: string, log: ComparableLog) {
    this.#db = db
    this.#workspaceId = workspaceId
    this.#log = log
  }

  /** Whether the last record is also the last of its group. */
  get isComplete(): boolean {
    return this.#open === undefined
  }

  /** Call it with each page of records before their `fits`: it looks up the records that the page's groups are sealed behind. */
  async load(page: readonly SealedRow[]): Promise<void> {
    const inPage = new Map(page.map(({ sequence, hash }) => [sequence, hash]))
    const wanted = new Set<number>()
    for (const { seal } of page) {
      const sequence = seal && decodeGroupSeal(seal)?.anchor.sequence
      if (sequence && sequence > this.#log.start.sequence && !inPage.has(sequence)) wanted.add(sequence)
    }
    this.#anchors = new Map([...(await findHashes(this.#db, this.#workspaceId, [...wanted])), ...inPage])
    this.#repeated = await findRepeatedIds(
      this.#db,
      page.map(({ id }) => id),
    )
  }

  /** Whether the record continues the open group, or begins a new one. */
  fits({ id, sequence, seal }: SealedRow): boolean {
    if (this.#repeated.has(id)) return false
    const open = this.#open
    const own = seal ? decodeGroupSeal(seal) : undefined
    if (!own) return open === undefined
    this.#open = own.index + 1 < own.size ? own : undefined
    if (open)
      return own.index === open.index + 1 && own.group === open.group && own.size === open.size && hasSameAnchor(own, open)
    return own.index === 0 && own.anchor.sequence < sequence && this.#contains(own.anchor, sequence)
  }

  #contains({ sequence, hash }: GroupSeal['anchor'], behind: number): boolean {
    const { start, signedThrough } = this.#log
    if (sequence === 0 && !hash.equals(GENESIS.hash)) return false
    if (sequence > start.sequence) return this.#anchors.get(sequence)?.equals(hash) === true
    return behind <= signedThrough || (sequence === start.sequence && hash.equals(start.hash))
  }
}

const hasSameAnchor = (a: GroupSeal, b: GroupSeal): boolean =>
  a.anchor.sequence === b.anchor.sequence && a.anchor.hash.equals(b.anchor.hash)
