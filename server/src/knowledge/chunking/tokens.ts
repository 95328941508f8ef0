import { createRequire } from 'node:module'

type Count = (text: string, options: { disallowedSpecial: Set<string> }) => number
interface Tokenizer {
  readonly countTokens: Count
  readonly setMergeCacheSize: (words: number) => void
}

/** The tokenizer's time grows with the square of a run of letters, spaces or signs, so long ones are counted in pieces. */
const MAX_RUN = 32
const LONG_RUN = new RegExp(
  ['[\\p{L}\\p{M}]', '\\s', '[^\\s\\p{L}\\p{N}]'].map((sign) => `${sign}{${MAX_RUN + 1},}`).join('|'),
  'gu',
)
/** Asked first, because it is quick: classes of all the world's letters are not. */
const MAY_HAVE_LONG_RUN = new RegExp(`\\S{${MAX_RUN + 1}}|\\s{${MAX_RUN + 1}}`)
/** A document may hold what steers a model elsewhere, as `<|endoftext|>`; here it is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }
/** A call costs more than counting a few words; lines and headings repeat. */
const SHORT = 64
const MAX_KNOWN = 20_000
/** Words that the library remembers. By default ten times as many, in each thread that reads documents: memory would grow for hours. */
const MERGED_WORDS = 10_000

const require = createRequire(import.meta.url)
let tokenizer: Count | undefined
const known = new Map<string, number>()

/** How many tokens of o200k the text has; a little more where it holds runs of more than 32 letters. */
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
  const before = text.length <= SHORT ? known.get(text) : undefined
  if (before !== undefined) return before
  // Loaded at the first call: it takes 0.3 s and 75 MB.
  tokenizer ??= load()
  const tokens = tokenizer(text, AS_TEXT)
  if (text.length <= SHORT) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(text, tokens)
  }
  return tokens
}

function load(): Count {
  const { countTokens, setMergeCacheSize } = require('gpt-tokenizer/encoding/o200k_base') as Tokenizer
  setMergeCacheSize(MERGED_WORDS)
  return countTokens
}
