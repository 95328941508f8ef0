import { charactersOf, type FontGlyph } from './font.ts'
import { apply, type Matrix, multiply } from './geometry.ts'
import { centerOf, type Glyph } from './glyph.ts'
import type { GraphicsState } from './state.ts'

interface Place {
  readonly at: number
  readonly annotation: string | undefined
  /** False in a layer that is switched off. */
  readonly isShown: boolean
}

interface ShownText {
  readonly glyphs: readonly Glyph[]
  /** Whether the font does not say which letters some codes show. */
  readonly unmapped: boolean
}

/** Smaller letters are not seen. */
const MIN_SIZE = 0.5

/** Places the letters of one `showText`, and moves the state's text matrix behind them. A number is a distance. */
export function showText(
  items: readonly (number | FontGlyph)[],
  state: GraphicsState,
  { at, annotation, isShown }: Place,
): ShownText {
  const { font, fontSize, horizontalScale } = state
  const matrix = multiply(state.matrix, state.textMatrix)
  const { scale, ...look } = lookOf(matrix, state)
  const glyphs: Glyph[] = []
  // pdf.js returns no letters if it cannot read the font.
  let unmapped = items.length === 0 && isShown
  let moved = 0
  for (const item of items) {
    if (typeof item === 'number') {
      moved -= (item / 1000) * fontSize * (font.vertical ? 1 : horizontalScale)
      continue
    }
    const { width, advance } = measure(item, state)
    const text = charactersOf(item, font)
    if (text === undefined) unmapped ||= isShown
    else {
      const [x, y] = font.vertical ? apply(matrix, state.rise, moved) : apply(matrix, moved, state.rise)
      const glyph = { text, x, y, ...look, width: Math.abs(width) * scale, advance: Math.abs(advance) * scale, at, annotation }
      glyphs.push(isShown && look.size >= MIN_SIZE && isInside(glyph, state) ? glyph : { ...glyph, visibility: 'hidden' })
    }
    moved += advance
  }
  state.textMatrix = multiply(state.textMatrix, font.vertical ? [1, 0, 0, 1, 0, moved] : [1, 0, 0, 1, moved, 0])
  return { glyphs, unmapped }
}

/** Width of a letter, and the distance to the next one, in units of the text. Negative for letters below each other. */
function measure(
  { width, isSpace, vmetric }: FontGlyph,
  { font, fontSize, horizontalScale, charSpacing, wordSpacing }: GraphicsState,
) {
  const spacing = charSpacing + (isSpace ? wordSpacing : 0)
  const own = (font.vertical ? (vmetric?.[0] ?? -1000) : width * horizontalScale) * font.scale * fontSize
  return { width: own, advance: own + spacing * (font.vertical ? 1 : horizontalScale) }
}

/** How a text of this state is painted. */
function lookOf(matrix: Matrix, state: GraphicsState) {
  const { font, fontSize, horizontalScale, renderMode, fill, stroke, fillAlpha, strokeAlpha } = state
  const isStroke = renderMode % 4 === 1
  const isInvisible = renderMode % 4 === 3 || (isStroke ? strokeAlpha : fillAlpha) === 0
  const [a, b] = font.vertical ? [-matrix[2], -matrix[3]] : [matrix[0], matrix[1]]
  const scale = Math.hypot(a, b)
  const sign = Math.sign(fontSize * horizontalScale * font.scale) || 1
  return {
    scale,
    direction: (scale === 0 ? [1, 0] : [(sign * a) / scale, (sign * b) / scale]) as Glyph['direction'],
    size: Math.hypot(matrix[2], matrix[3]) * Math.abs(fontSize) * font.height,
    color: isStroke ? stroke : fill,
    visibility: (isInvisible ? 'invisible' : 'visible') as Glyph['visibility'],
  }
}

/** Whether a part of the letter is within the frame that the file sets. */
function isInside(glyph: Glyph, { clip: [left, bottom, right, top] }: GraphicsState): boolean {
  const [x, y] = centerOf(glyph)
  const reach = glyph.size / 2
  return x >= left - reach && x <= right + reach && y >= bottom - reach && y <= top + reach
}
