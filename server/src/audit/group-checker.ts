import type { Db } from '../db/database.ts'
import { findHashes } from './audit-store.ts'
import { GENESIS } from './chain.ts'
import { decodeGroupSeal, type GroupSeal } from './group-seal.ts'

/** What the checker needs of a record. */
export interface SealedRow {
  readonly sequence: number
  readonly hash: Buffer
  readonly seal: Buffer | null
}

/**
 * Checks, over the records of a log in order, that each group is complete, contiguous and in order, and that the chain contains the
 * record that it is sealed behind. Seals of single positions are between groups. The seals themselves are checked elsewhere.
 */
export class GroupChecker {
  readonly #db: Db
  readonly #workspaceId: string
  readonly #comparableFrom: number
  /** The group that the next record must continue. */
  #open: GroupSeal | undefined
  #anchors: ReadonlyMap<number, Buffer> = new Map()

  /** `comparableFrom`: retention has removed the records before this one, or an operator has accepted them: they are not compared. */
  constructor(db: Db, workspaceId: string, comparableFrom: number) {
    this.#db = db
    this.#workspaceId = workspaceId
    this.#comparableFrom = comparableFrom
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
      if (sequence && sequence >= this.#comparableFrom && !inPage.has(sequence)) wanted.add(sequence)
    }
    this.#anchors = new Map([...(await findHashes(this.#db, this.#workspaceId, [...wanted])), ...inPage])
  }

  /** Whether the record continues the open group, or begins a new one. */
  fits({ sequence, seal }: SealedRow): boolean {
    const open = this.#open
    const own = seal ? decodeGroupSeal(seal) : undefined
    if (!own) return open === undefined
    this.#open = own.index + 1 < own.size ? own : undefined
    if (open)
      return own.index === open.index + 1 && own.group === open.group && own.size === open.size && hasSameAnchor(own, open)
    return own.index === 0 && own.anchor.sequence < sequence && this.#contains(own.anchor)
  }

  #contains({ sequence, hash }: GroupSeal['anchor']): boolean {
    if (sequence === 0) return hash.equals(GENESIS.hash)
    return sequence < this.#comparableFrom || this.#anchors.get(sequence)?.equals(hash) === true
  }
}

const hasSameAnchor = (a: GroupSeal, b: GroupSeal): boolean =>
  a.anchor.sequence === b.anchor.sequence && a.anchor.hash.equals(b.anchor.hash)
