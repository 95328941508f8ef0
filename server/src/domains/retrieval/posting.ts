/** Entries of a block, whose postings of a term share a row. */
export const BLOCK_ENTRIES = 1_024
/** Bytes of a stored posting, low byte first: 10 bits for the entry's place in its block, 6 for the term's frequency, 16 for the entry's length. */
export const POSTING_BYTES = 4
const PLACE_BITS = 10
const FREQUENCY_BITS = 6
/** More occurrences would raise a score by less than 3 %. */
const MAX_FREQUENCY = 2 ** FREQUENCY_BITS - 1
export const MAX_LENGTH = 0xffff

export const blockOf = (number: number): number => Math.floor(number / BLOCK_ENTRIES)

export const placeOf = (posting: number): number => posting & (BLOCK_ENTRIES - 1)
export const frequencyOf = (posting: number): number => (posting >>> PLACE_BITS) & MAX_FREQUENCY
export const lengthOf = (posting: number): number => posting >>> (PLACE_BITS + FREQUENCY_BITS)

/** The posting of the entry with this number in its partition. */
export const makePosting = (number: number, frequency: number, length: number): number =>
  ((length << (PLACE_BITS + FREQUENCY_BITS)) | (Math.min(frequency, MAX_FREQUENCY) << PLACE_BITS) | (number % BLOCK_ENTRIES)) >>>
  0

/** The postings of a term in one block of a partition. */
export interface PostingRow {
  readonly partition: number
  readonly block: number
  readonly postings: Uint32Array
}

export type BlockPlace = Pick<PostingRow, 'partition' | 'block'>

export const toBytes = (postings: Uint32Array): Buffer => Buffer.from(postings.buffer, postings.byteOffset, postings.byteLength)

/** Copies the bytes, because a view needs an address that is a multiple of four. */
export const fromBytes = (bytes: Uint8Array): Uint32Array => new Uint32Array(new Uint8Array(bytes).buffer)
