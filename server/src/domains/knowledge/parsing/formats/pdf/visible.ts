import { type Box, contains } from './geometry.ts'
import { centerOf, type Fill, type Glyph, type PageContent } from './glyph.ts'

export interface VisibleGlyphs {
  readonly glyphs: readonly Glyph[]
  /** Pieces of text that the file contains and that a reader does not see. */
  readonly hidden: number
  /** Number of pictures, without those over which the file has their recognised text, and without small marks. */
  readonly pictures: number
}

/** Shapes narrower than this are lines. */
const MIN_FILL = 3
/** Colours that differ less, of 255, look the same. */
const SAME_COLOR = 10
const FIELD = 24
const MAX_SQUARES = 40

/** Leaves out letters that are not seen, and those that are painted twice for a bold look or a shadow. */
export function visibleGlyphs({ glyphs, fills, pictures }: PageContent): VisibleGlyphs {
  const background = new Background(fills, pictures)
  const isScan = !glyphs.some(({ visibility, text }) => visibility === 'visible' && text.trim() !== '')
  const shown = new PaintedLetters()
  const hidden: Glyph[] = []
  const result: Glyph[] = []
  for (const glyph of glyphs) {
    const [x, y] = centerOf(glyph)
    const isText = glyph.visibility === 'visible' || (glyph.visibility === 'invisible' && (isScan || background.hasPicture(x, y)))
    if (!isText || background.hides(glyph, x, y)) hidden.push(glyph)
    else if (glyph.text.trim() === '' || shown.add(glyph)) result.push(glyph)
  }
  const missing = hidden.filter((glyph) => glyph.text.trim() !== '' && !shown.has(glyph))
  const recognized = result.filter(({ visibility }) => visibility === 'invisible').map(centerOf)
  const unread = pictures.filter((box) => isLarge(box) && !recognized.some(([x, y]) => contains(box, x, y)))
  return { glyphs: result, hidden: new Set(missing.map(({ at }) => at)).size, pictures: unread.length }
}

/** Large enough for a word: in points, and square points. */
const isLarge = ([left, bottom, right, top]: Box): boolean =>
  Math.min(right - left, top - bottom) >= 6 && (right - left) * (top - bottom) >= 150

/** The shapes below and above the letters, by squares of the page. */
class Background {
  readonly #squares = new Map<number, Fill[]>()
  /** Shapes of many squares, such as the background of the page. */
  readonly #large: Fill[] = []
  readonly #pictures: readonly Box[]

  constructor(fills: readonly Fill[], pictures: readonly Box[]) {
    this.#pictures = pictures
    for (const fill of fills) {
      const [left, bottom, right, top] = fill.box
      if (right - left < MIN_FILL || top - bottom < MIN_FILL) continue
      if ((right - left) * (top - bottom) > MAX_SQUARES * FIELD * FIELD) this.#large.push(fill)
      else this.#add(fill)
    }
  }

  hasPicture(x: number, y: number): boolean {
    return this.#pictures.some((box) => contains(box, x, y))
  }

  #add(fill: Fill): void {
    const [left, bottom, right, top] = fill.box.map((place) => Math.floor(place / FIELD)) as [number, number, number, number]
    for (let x = left; x <= right; x += 1)
      for (let y = bottom; y <= top; y += 1) {
        const known = this.#squares.get(squareOf(x, y))
        if (known) known.push(fill)
        else this.#squares.set(squareOf(x, y), [fill])
      }
  }

  /** Whether a later shape covers the letter, or it has the colour of what is below it. */
  hides({ at, color, visibility, annotation }: Glyph, x: number, y: number): boolean {
    if (visibility !== 'visible') return false
    const covers = ({ at: order, covers: isCover, box }: Fill) =>
      order > at && isCover && annotation === undefined && contains(box, x, y)
    const near = [this.#large, this.#squares.get(squareOf(Math.floor(x / FIELD), Math.floor(y / FIELD))) ?? []]
    if (near.some((fills) => fills.some(covers))) return true
    const backgrounds = near.flatMap((fills) => fills.findLast((fill) => fill.at < at && contains(fill.box, x, y)) ?? [])
    const below =
      backgrounds.reduce<Fill | undefined>((top, fill) => (top && top.at > fill.at ? top : fill), undefined)?.color ?? '#ffffff'
    return isSame(color, below) && !this.hasPicture(x, y)
  }
}

function isSame(color: string, other: string): boolean {
  if (color === other) return color !== ''
  const one = channelsOf(color)
  const two = channelsOf(other)
  return one !== undefined && two !== undefined && one.every((value, index) => Math.abs(value - (two[index] ?? 0)) < SAME_COLOR)
}

/** Red, green and blue of `#rrggbb`; undefined for a pattern. */
function channelsOf(color: string): readonly number[] | undefined {
  if (color.length !== 7) return undefined
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

/** A second letter is the same one if it is moved by less than this part of its width, and by less than these parts of its height. */
const MOVED_WIDTH = 0.6
const MOVED_ASIDE = 0.15
const MOVED_UP = 0.25

/** Letters by squares of the page. */
class PaintedLetters {
  readonly #squares = new Map<number, Glyph[]>()

  /** Returns false if the letter is already there. */
  add(glyph: Glyph): boolean {
    if (this.has(glyph)) return false
    const key = squareOf(Math.floor(glyph.x / SQUARE), Math.floor(glyph.y / SQUARE))
    const known = this.#squares.get(key)
    if (known) known.push(glyph)
    else this.#squares.set(key, [glyph])
    return true
  }

  has(glyph: Glyph): boolean {
    const { x, y, size, width } = glyph
    const reach = Math.min(Math.max(MOVED_WIDTH * width, MOVED_UP * size), 4 * SQUARE)
    for (let right = Math.floor((x - reach) / SQUARE); right <= (x + reach) / SQUARE; right += 1)
      for (let up = Math.floor((y - reach) / SQUARE); up <= (y + reach) / SQUARE; up += 1)
        if (this.#squares.get(squareOf(right, up))?.some((other) => isRepeated(other, glyph))) return true
    return false
  }
}

const SQUARE = 12
const squareOf = (right: number, up: number): number => right * 100_003 + up

function isRepeated(one: Glyph, other: Glyph): boolean {
  if (one.text !== other.text) return false
  const [dx, dy] = one.direction
  const [x, y] = [other.x - one.x, other.y - one.y]
  const aside = Math.abs(x * dx + y * dy)
  const up = Math.abs(y * dx - x * dy)
  const isSameSize = Math.abs(one.size - other.size) <= 0.1 * one.size
  return isSameSize && aside <= Math.max(MOVED_WIDTH * one.width, MOVED_ASIDE * one.size) && up <= MOVED_UP * one.size
}
