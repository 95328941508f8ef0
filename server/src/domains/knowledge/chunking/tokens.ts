import { createRequire } from 'node:module'

type Count = (text: string, options: { disallowedSpecial: Set<string> }) => number
interface Tokenizer {
  readonly countTokens: Count
  readonly setMergeCacheSize: (words: number) => void
}

/** The tokenizer's time grows with the square of a run of letters, spaces or symbols, so long runs are counted in pieces. */
const MAX_RUN = 32
const LONG_RUN = new RegExp(
  ['[\\p{L}\\p{M}]', '\\s', '[^\\s\\p{L}\\p{N}]'].map((sign) => `${sign}{${MAX_RUN + 1},}`).join('|'),
  'gu',
)
/** Tested first, because LONG_RUN's Unicode classes are slow. */
const MAY_HAVE_LONG_RUN = new RegExp(`\\S{${MAX_RUN + 1}}|\\s{${MAX_RUN + 1}}`)
/** Counts control tokens such as `<|endoftext|>` as text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }
/** Short texts such as headings repeat, so their counts are cached. */
const MAX_CACHED_LENGTH = 64
const MAX_CACHED = 20_000
/** The library's own cache. Its default of 100,000 words in each parser thread would let memory grow for hours. */
const MAX_LIBRARY_CACHED = 10_000

const require = createRequire(import.meta.url)
let tokenizer: Count | undefined
const cache = new Map<string, number>()

/** Number of o200k tokens; slightly too high for runs of more than 32 letters. */
export function countTokens(text: string): number {
  if (!MAY_HAVE_LONG_RUN.test(text)) return count(text)
  let tokens = 0
  let at = 0
  for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
    tokens += count(text.slice(at, index))
    for (at = index; at < index + run.length; at += MAX_RUN)
      tokens += count(text.slice(at, Math.min(at + MAX_RUN, index + run.length)))
    at = index + run.length
  }
  return tokens + count(text.slice(at))
}

function count(text: string): number {
  if (text === '') return 0
  const cached = text.length <= MAX_CACHED_LENGTH ? cache.get(text) : undefined
  if (cached !== undefined) return cached
  // Loaded at the first call, because it takes 0.3 s and 75 MB.
  tokenizer ??= load()
  const tokens = tokenizer(text, AS_TEXT)
  if (text.length <= MAX_CACHED_LENGTH) {
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(text, tokens)
  }
  return tokens
}

function load(): Count {
  const { countTokens, setMergeCacheSize } = require('gpt-tokenizer/encoding/o200k_base') as Tokenizer
  setMergeCacheSize(MAX_LIBRARY_CACHED)
  return countTokens
}
