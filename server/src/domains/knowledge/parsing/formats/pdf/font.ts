import { normalize } from '../../../../../platform/lib/normalize.ts'
import { isMatrix } from './geometry.ts'

/** The part of a font of pdf.js that the reader needs. */
export interface Font {
  /** Text space per unit of a glyph's width. */
  readonly scale: number
  /** The height of its letters at size 1. */
  readonly height: number
  readonly vertical: boolean
  /** Whether pdf.js knows which character a code shows, and did not take the code itself. */
  readonly hasCharacter: (code: number) => boolean
}

/** An operand of `showText`: a letter, or a distance. */
export interface FontGlyph {
  readonly originalCharCode: number
  readonly unicode: string
  readonly width: number
  readonly isSpace: boolean
  readonly vmetric?: readonly number[] | null
}

export const DEFAULT_FONT: Font = { scale: 0.001, height: 1, vertical: false, hasCharacter: () => true }

/** `loaded` is an object of pdf.js with `fontExtraProperties`; undefined if pdf.js could not read the font. */
export function fontOf(loaded: unknown): Font {
  if (typeof loaded !== 'object' || loaded === null) return DEFAULT_FONT
  const { fontMatrix, bbox, isType3Font, vertical, composite, toUnicode, differences } = loaded as {
    fontMatrix?: unknown
    bbox?: ArrayLike<number>
    isType3Font?: boolean
    vertical?: boolean
    composite?: boolean
    toUnicode?: { _map?: readonly unknown[] }
    differences?: readonly unknown[]
  }
  const matrix = isMatrix(fontMatrix) ? fontMatrix : undefined
  const boxHeight = Math.abs((bbox?.[3] ?? 0) - (bbox?.[1] ?? 0))
  const map = toUnicode?._map
  return {
    scale: matrix?.[0] ?? 0.001,
    height: isType3Font && matrix && boxHeight > 0 ? Math.abs(matrix[3]) * boxHeight : 1,
    vertical: vertical === true,
    // A composite font without a map has glyph numbers as codes. A simple one has an encoding, except for names without a meaning.
    hasCharacter: composite ? (code) => map?.[code] !== undefined : (code) => map?.[code] !== undefined || !differences?.[code],
  }
}

const PRESENTATION_FORMS = /[\ufb00-\ufdff\ufe70-\ufefc]/
const UNREADABLE = /[\p{Co}\p{Cn}\p{Cs}\ufffd]|(?![\t\n\r ])\p{Cc}/u

/** Symbol fonts of Word: bullets, and boxes of check lists. */
const SYMBOLS: Readonly<Record<string, string>> = {
  '\uf0b7': '•',
  '\uf0a7': '•',
  '\uf0d8': '•',
  '\uf076': '•',
  '\uf0e0': '→',
  '\uf0e8': '→',
  '\uf0fc': '✓',
  '\uf0fb': '✗',
  '\uf0fd': '☒',
  '\uf0fe': '☑',
  '\uf0a8': '☐',
  '\uf06f': '☐',
  '\uf071': '☐',
}

/** The characters that a glyph shows; undefined if the file does not say. */
export function charactersOf(glyph: FontGlyph, font: Font): string | undefined {
  const symbol = SYMBOLS[glyph.unicode]
  if (symbol) return symbol
  if (!font.hasCharacter(glyph.originalCharCode) && !glyph.isSpace) return undefined
  if (PRESENTATION_FORMS.test(glyph.unicode)) return normalize(glyph.unicode, 'NFKC')
  return UNREADABLE.test(glyph.unicode) ? undefined : glyph.unicode
}
