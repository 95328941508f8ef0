import { createHash } from 'node:crypto'
import { BLOCK_ENTRIES, blockOf, lengthOf, type PostingRow, placeOf } from './posting.ts'

/** Chooses entries by their labels: those with a label of each group of one of the alternatives, and none of `without`. */
export interface EntryFilter {
  readonly alternatives: readonly (readonly (readonly string[])[])[]
  readonly without: readonly string[]
  /** Chooses the other labelled entries instead. */
  readonly inverted?: boolean
}

/** An entry that a search leaves out. */
export interface DeniedEntry {
  readonly partition: number
  readonly number: number
  readonly length: number
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

type Block = Pick<PostingRow, 'block' | 'postings'>

/** By block: for each entry 1 more than its length, or 0 if it does not belong to the set. */
type Lengths = Map<number, Uint32Array>

/** The entries of a partition that a viewer may see. */
export interface Mask {
  readonly entries: number
  readonly totalLength: number
  /** Whether most blocks of the partition have such entries. */
  readonly isDense: boolean
  /** The blocks with such entries. Empty if the mask has no list of them: it is dense then. */
  readonly blocks: readonly number[]
  /** Of the postings of a block those of such entries. */
  chosenOf(block: Block): Uint32Array
}

/** All entries of a partition but the denied ones. */
export class AllBut implements Mask {
  readonly isDense = true
  readonly blocks = []
  readonly entries: number
  readonly totalLength: number
  readonly denied: readonly DeniedEntry[]
  readonly #hidden: ReadonlyMap<number, Uint8Array>

  /** `removed`: numbers that the lists still have, but not the statistics. */
  constructor(
    { entries, length }: { readonly entries: number; readonly length: number },
    denied: readonly DeniedEntry[],
    removed: readonly number[],
  ) {
    this.denied = denied
    this.entries = entries - denied.length
    this.totalLength = denied.reduce((left, entry) => left - entry.length, length)
    this.#hidden = byBlock([...denied.map(({ number }) => number), ...removed])
  }

  chosenOf({ block, postings }: Block): Uint32Array {
    const hidden = this.#hidden.get(block)
    return hidden ? postings.filter((posting) => hidden[placeOf(posting)] === 0) : postings
  }
}

/** By block: 1 for the place of each of these entries. */
function byBlock(numbers: readonly number[]): ReadonlyMap<number, Uint8Array> {
  const blocks = new Map<number, Uint8Array>()
  for (const number of numbers) {
    const block = blockOf(number)
    const places = blocks.get(block) ?? new Uint8Array(BLOCK_ENTRIES)
    places[placeOf(number)] = 1
    blocks.set(block, places)
  }
  return blocks
}

/** The entries of a partition that a filter chooses. */
export class EntryMask implements Mask {
  readonly #blocks: Lengths
  readonly entries: number
  readonly totalLength: number
  readonly isDense: boolean

  /** `blocksOf`: the postings of a label in the partition. `blocks`: the number of its blocks. `hidden`: numbers that are left out. */
  constructor(
    { alternatives, without, inverted = false }: EntryFilter,
    blocksOf: (label: string) => readonly Block[],
    blocks: number,
    hidden: readonly number[] = [],
  ) {
    const chosen: Lengths = new Map()
    for (const groups of alternatives) {
      for (const [block, lengths] of groups.map((group) => union(group.flatMap(blocksOf))).reduce(intersect)) {
        const known = chosen.get(block)
        if (!known) chosen.set(block, lengths)
        else for (const [place, length] of lengths.entries()) if (length > 0) known[place] = length
      }
    }
    const excluded = union(without.flatMap(blocksOf))
    const visible = excluded.size === 0 ? chosen : subtract(chosen, excluded)
    this.#blocks = inverted ? subtract(union(blocksOf(LABELLED)), visible) : visible
    for (const number of hidden) this.#blocks.get(blockOf(number))?.fill(0, placeOf(number), placeOf(number) + 1)
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

  get blocks(): readonly number[] {
    return [...this.#blocks.keys()]
  }

  /** The numbers of the chosen entries. */
  *numbers(): Generator<number> {
    for (const [block, lengths] of this.#blocks) {
      for (const [place, length] of lengths.entries()) if (length > 0) yield block * BLOCK_ENTRIES + place
    }
  }

  chosenOf({ block, postings }: Block): Uint32Array {
    const lengths = this.#blocks.get(block)
    return lengths ? postings.filter((posting) => lengths[placeOf(posting)] !== 0) : new Uint32Array(0)
  }
}

function union(blocks: readonly Block[]): Lengths {
  const set: Lengths = new Map()
  for (const { block, postings } of blocks) {
    const lengths = set.get(block) ?? new Uint32Array(BLOCK_ENTRIES)
    set.set(block, lengths)
    for (const posting of postings) lengths[placeOf(posting)] = 1 + lengthOf(posting)
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
