import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Separates the terms from their frequencies. No term contains it. */
const END = 0
const MAX_FREQUENCY = 0xff

/** The distinct terms of an entry, separated by spaces, and how often it has each of them: one byte for each. */
interface EntryTerms {
  readonly terms: string
  readonly frequencies: Uint8Array
}

/** The terms of an entry as the index stores them: half as large as their text. */
export const packTerms = (counts: ReadonlyMap<string, number>): Buffer =>
  deflateRawSync(
    Buffer.concat([
      Buffer.from([...counts.keys()].join(' ')),
      Buffer.from([END, ...[...counts.values()].map((count) => Math.min(count, MAX_FREQUENCY))]),
    ]),
  )

export function unpackTerms(packed: Uint8Array): EntryTerms {
  const bytes = inflateRawSync(packed)
  const end = bytes.indexOf(END)
  return { terms: bytes.toString('utf8', 0, end), frequencies: bytes.subarray(end + 1) }
}

/** The frequency of each term. */
export function countsOf(packed: Uint8Array): ReadonlyMap<string, number> {
  const { terms, frequencies } = unpackTerms(packed)
  return new Map(terms === '' ? [] : terms.split(' ').map((term, at) => [term, frequencies[at] ?? 1]))
}

/** `packed` is null for an entry that a former release has indexed. */
export const termsOf = ({ terms, packed }: { readonly terms: string; readonly packed: Uint8Array | null }): string[] => {
  const text = packed ? unpackTerms(packed).terms : terms
  return text === '' ? [] : text.split(' ')
}
