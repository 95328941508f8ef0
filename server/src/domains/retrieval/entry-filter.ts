import { createHash } from 'node:crypto'
import { BLOCK_ENTRIES, MAX_LENGTH, POSTING_BYTES } from './posting-store.ts'

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

/** The postings of a term in one block of a partition (posting-store.ts). */
interface Block {
  readonly block: number
  readonly postings: Buffer
}

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
  chosenOf(block: Block): Buffer
}

/** All entries of a partition but the denied ones. */
export class AllBut implements Mask {
  readonly isDense = true
  readonly blocks = []
  readonly entries: number
  readonly totalLength: number
  readonly denied: readonly DeniedEntry[]
  readonly #byBlock: ReadonlyMap<number, ReadonlySet<number>>

  constructor(denied: readonly DeniedEntry[], { entries, length }: { readonly entries: number; readonly length: number }) {
    this.denied = denied
    this.entries = entries - denied.length
    this.totalLength = denied.reduce((left, entry) => left - entry.length, length)
    this.#byBlock = byBlock(denied)
  }

  chosenOf({ block, postings }: Block): Buffer {
    const hidden = this.#byBlock.get(block)
    return hidden ? keepPostings(postings, (place) => !hidden.has(place)) : postings
  }
}

function byBlock(entries: readonly DeniedEntry[]): ReadonlyMap<number, ReadonlySet<number>> {
  const places = new Map<number, Set<number>>()
  for (const { number } of entries) {
    const block = Math.floor(number / BLOCK_ENTRIES)
    places.set(block, (places.get(block) ?? new Set<number>()).add(number % BLOCK_ENTRIES))
  }
  return places
}

function keepPostings(postings: Buffer, isKept: (place: number) => boolean): Buffer {
  let size = 0
  while (size < postings.length && isKept(postings[size] as number)) size += POSTING_BYTES
  if (size === postings.length) return postings
  const kept = Buffer.from(postings)
  for (let at = size; at < postings.length; at += POSTING_BYTES) {
    if (!isKept(postings[at] as number)) continue
    for (let byte = 0; byte < POSTING_BYTES; byte++) kept[size++] = postings[at + byte] as number
  }
  return kept.subarray(0, size)
}

/** The entries of a partition that a filter chooses. */
export class EntryMask implements Mask {
  readonly #blocks: Lengths
  readonly entries: number
  readonly totalLength: number
  readonly isDense: boolean

  /** `blocksOf`: the postings of a label in the partition. `blocks`: the number of its blocks. */
  constructor(
    { alternatives, without, inverted = false }: EntryFilter,
    blocksOf: (label: string) => readonly Block[],
    blocks: number,
    denied: readonly DeniedEntry[] = [],
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
    for (const [block, places] of byBlock(denied)) for (const place of places) visible.get(block)?.fill(0, place, place + 1)
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

  get blocks(): readonly number[] {
    return [...this.#blocks.keys()]
  }

  /** The numbers of the chosen entries. */
  *numbers(): Generator<number> {
    for (const [block, lengths] of this.#blocks) {
      for (const [place, length] of lengths.entries()) if (length > 0) yield block * BLOCK_ENTRIES + place
    }
  }

  chosenOf({ block, postings }: Block): Buffer {
    const lengths = this.#blocks.get(block)
    return lengths ? keepPostings(postings, (place) => lengths[place] !== 0) : Buffer.alloc(0)
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
