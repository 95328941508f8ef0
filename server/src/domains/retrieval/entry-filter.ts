import { createHash } from 'node:crypto'
import { BLOCK_ENTRIES, MAX_LENGTH, POSTING_BYTES } from './posting-store.ts'

/** Chooses entries by their labels: those with a label of each group of one of the alternatives, and none of `without`. */
export interface EntryFilter {
  readonly alternatives: readonly (readonly (readonly string[])[])[]
  readonly without: readonly string[]
  /** Chooses the other labelled entries instead. */
  readonly inverted?: boolean
}

/** Every entry with labels has this one. */
export const LABELLED = 'labelled'

/** The labels whose entries a filter needs. */
export const labelsOf = ({ alternatives, without, inverted }: EntryFilter): readonly string[] => [
  ...alternatives.flat(2),
  ...without,
  ...(inverted ? [LABELLED] : []),
]

/**
 * The term under which the index stores a label. No word is equal to it, because words have letters and digits only. It is a hash, because
 * the terms of an entry are separated by spaces, and because labels name users.
 */
export const labelTerm = (label: string): string => `\u0001${createHash('sha256').update(label).digest('base64url').slice(0, 16)}`

/** The postings of a term in one block of a partition (posting-store.ts). */
interface Block {
  readonly block: number
  readonly postings: Buffer
}

/** By block: for each entry 1 more than its length, or 0 if it does not belong to the set. */
type Lengths = Map<number, Uint32Array>

/** The entries of a partition that a filter chooses. */
export class EntryMask {
  readonly #blocks: Lengths
  readonly entries: number
  readonly totalLength: number
  /** Whether most blocks of the partition have chosen entries. */
  readonly isDense: boolean

  /** `blocksOf`: the postings of a label in the partition. `blocks`: the number of its blocks. */
  constructor(
    { alternatives, without, inverted = false }: EntryFilter,
    blocksOf: (label: string) => readonly Block[],
    blocks: number,
  ) {
    const chosen: Lengths = new Map()
    for (const groups of alternatives) {
      for (const [block, lengths] of groups.map((group) => union(group.flatMap(blocksOf))).reduce(intersect)) {
        const known = chosen.get(block)
        if (!known) chosen.set(block, lengths)
        else for (const [place, length] of lengths.entries()) if (length > 0) known[place] = length
      }
    }
    const hidden = union(without.flatMap(blocksOf))
    const visible = hidden.size === 0 ? chosen : subtract(chosen, hidden)
    this.#blocks = inverted ? subtract(union(blocksOf(LABELLED)), visible) : visible
    this.isDense = 2 * this.#blocks.size > blocks
    let [entries, totalLength] = [0, 0]
    for (const lengths of this.#blocks.values()) {
      for (const length of lengths) {
        if (length === 0) continue
        entries++
        totalLength += length - 1
      }
    }
    this.entries = entries
    this.totalLength = totalLength
  }

  /** The blocks with chosen entries. */
  get blocks(): readonly number[] {
    return [...this.#blocks.keys()]
  }

  /** The numbers of the chosen entries. */
  *numbers(): Generator<number> {
    for (const [block, lengths] of this.#blocks) {
      for (const [place, length] of lengths.entries()) if (length > 0) yield block * BLOCK_ENTRIES + place
    }
  }

  /** Of the postings of a block those of chosen entries. */
  chosenOf({ block, postings }: Block): Buffer {
    const lengths = this.#blocks.get(block)
    if (!lengths) return Buffer.alloc(0)
    const isChosen = (at: number): boolean => lengths[postings[at] as number] !== 0
    let size = 0
    while (size < postings.length && isChosen(size)) size += POSTING_BYTES
    if (size === postings.length) return postings
    const kept = Buffer.from(postings)
    for (let at = size; at < postings.length; at += POSTING_BYTES) {
      if (isChosen(at)) for (let byte = 0; byte < POSTING_BYTES; byte++) kept[size++] = postings[at + byte] as number
    }
    return kept.subarray(0, size)
  }
}

function union(blocks: readonly Block[]): Lengths {
  const set: Lengths = new Map()
  for (const { block, postings } of blocks) {
    const lengths = set.get(block) ?? new Uint32Array(BLOCK_ENTRIES)
    set.set(block, lengths)
    for (let at = 0; at < postings.length; at += POSTING_BYTES) {
      lengths[postings[at] as number] = 1 + (postings.readUInt16LE(at + 2) & MAX_LENGTH)
    }
  }
  return set
}

const intersect = (set: Lengths, other: Lengths): Lengths => keep(set, (block, place) => (other.get(block)?.[place] ?? 0) > 0)
const subtract = (set: Lengths, other: Lengths): Lengths => keep(set, (block, place) => (other.get(block)?.[place] ?? 0) === 0)

/** Without the blocks that are empty then. */
function keep(set: Lengths, isKept: (block: number, place: number) => boolean): Lengths {
  const kept: Lengths = new Map()
  for (const [block, lengths] of set) {
    const left = new Uint32Array(BLOCK_ENTRIES)
    let isEmpty = true
    for (let place = 0; place < BLOCK_ENTRIES; place++) {
      const length = lengths[place] as number
      if (length === 0 || !isKept(block, place)) continue
      left[place] = length
      isEmpty = false
    }
    if (!isEmpty) kept.set(block, left)
  }
  return kept
}
