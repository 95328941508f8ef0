/**
 * Invisible characters of the BMP (Unicode's Default_Ignorable_Code_Point and the annotation anchors), first and last of each range.
 * Beyond the BMP, tag characters and variation selectors are invisible: U+E0000 to U+E01EF.
 */
export const INVISIBLE_RANGES: readonly (readonly [number, number])[] = [
  [0x00ad, 0x00ad], // soft hyphen
  [0x034f, 0x034f], // combining grapheme joiner
  [0x061c, 0x061c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian selectors
  [0x200b, 0x200f], // zero-width space, joiners, direction marks
  [0x202a, 0x202e], // embeddings and overrides
  [0x2060, 0x206f], // word joiner, invisible operators, isolates, deprecated format characters
  [0x3164, 0x3164], // Hangul filler
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // half-width Hangul filler
  [0xfff9, 0xfffb], // annotation anchors
]

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`

/** The ranges as the content of a character class of a regular expression. */
export const classOf = (ranges: readonly (readonly [number, number])[]): string =>
  ranges.map(([from, to]) => `${escaped(from)}-${escaped(to)}`).join('')

/** High surrogate of the invisible characters beyond the BMP, and the last of their low surrogates. */
export const INVISIBLE_HIGH = 0xdb40
const INVISIBLE_LOW_END = 0xddef

export const isInvisiblePair = (text: string, at: number): boolean => {
  const low = text.charCodeAt(at + 1)
  return text.charCodeAt(at) === INVISIBLE_HIGH && low >= 0xdc00 && low <= INVISIBLE_LOW_END
}
