/** Entries of a block, whose postings share a row. An entry's number within its block fits into one byte. */
export const BLOCK_ENTRIES = 256
/** Bytes of a posting: number within the block, term frequency, the entry's length (low byte first). */
export const POSTING_BYTES = 4
const MAX_FREQUENCY = 0xff
export const MAX_LENGTH = 0xffff

export const blockOf = (number: number): number => Math.floor(number / BLOCK_ENTRIES)

export const posting = (number: number, frequency: number, length: number): readonly number[] => [
  number % BLOCK_ENTRIES,
  Math.min(frequency, MAX_FREQUENCY),
  length & 0xff,
  length >> 8,
]

/** Removes the postings of the entries with these numbers. */
export function withoutNumbers(postings: Buffer, numbers: ReadonlySet<number>): Buffer {
  const kept: number[] = []
  for (let at = 0; at < postings.length; at += POSTING_BYTES) {
    if (!numbers.has(postings[at] ?? 0)) kept.push(...postings.subarray(at, at + POSTING_BYTES))
  }
  return Buffer.from(kept)
}
