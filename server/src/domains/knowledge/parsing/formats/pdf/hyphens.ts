/** Follows a hyphen at the end of a line until all lines of the document are known. Letters of a page contain no control characters. */
export const LINE_END = '\u0004'

/** First parts of compounds, which keep their hyphen: `self-employed`, `low-income`. */
const COMPOUND_PARTS = new Set(
  (
    'self non all ex well ill low high mid long short full part half double single multi cross one two three four five six seven eight ' +
    'nine ten twenty thirty forty fifty sixty seventy eighty ninety first second third year day month state on off built post so co ' +
    'vice real open large small fast slow new old hard soft free ready user end time web cost risk data job work face hand quasi much ' +
    'best better far near left right top front back close good bad fixed zero case tax third value decision world read write e x'
  ).split(' '),
)
/** Bounded, so that each start of a match costs the same. */
const BROKEN_WORD = new RegExp(`([\\p{L}\\p{N}]{1,40}(?:[-\\u2010][\\p{L}\\p{N}]{1,40}){0,5})-${LINE_END}(\\p{L}{1,60})`, 'gu')
const WORD = /\p{L}+(?:[-\u2010]\p{L}+)*/gu

/**
 * Decides whether a hyphen at the end of a line belongs to its word: as the rest of the text writes the word, else by its first part.
 * Hyphens within lines stay as they are.
 */
export function resolveHyphens(text: string): string {
  if (!text.includes(LINE_END)) return text
  const words = new Set((text.match(WORD) ?? []).map(spelling))
  return text
    .replace(BROKEN_WORD, (_, first: string, second: string) => {
      const compound = `${first}-${second}`
      const joined = `${first}${second}`
      if (words.has(spelling(compound))) return compound
      if (words.has(spelling(joined))) return joined
      const isCompound = COMPOUND_PARTS.has(first.toLowerCase()) || /[-\u2010\p{N}]/u.test(first) || /^\p{Lu}+$/u.test(first)
      return isCompound ? compound : joined
    })
    .replaceAll(LINE_END, '')
}

const spelling = (word: string): string => word.toLowerCase().replaceAll('\u2010', '-')
