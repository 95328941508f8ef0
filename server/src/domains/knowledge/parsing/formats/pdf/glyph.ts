import type { Box } from './geometry.ts'

/** A letter on a page, or a value that a reader sees at this place. */
export interface Glyph {
  readonly text: string
  /** The start of the base line, in points of the page. */
  readonly x: number
  readonly y: number
  /** The unit vector in which the line runs. */
  readonly direction: readonly [number, number]
  /** The height of the font and the width of the letter, in points. */
  readonly size: number
  readonly width: number
  /** `width` with the space that the file adds after each letter. */
  readonly advance: number
  /** The operator that draws it: letters and shapes are in the order in which they are painted. */
  readonly at: number
  readonly color: string
  readonly visibility: 'visible' | 'invisible' | 'hidden'
  readonly annotation?: string | undefined
  /** The address to which the letter links. */
  link?: string | undefined
}

/** A filled shape. `covers`: a rectangle through which nothing below it is seen. */
export interface Fill {
  readonly box: Box
  readonly color: string
  readonly at: number
  readonly covers: boolean
}

export interface PageContent {
  readonly glyphs: readonly Glyph[]
  readonly fills: readonly Fill[]
  readonly pictures: readonly Box[]
  /** Number of lines and filled shapes. */
  readonly shapes: number
  /** Runs of letters in fonts that do not say which letters they show. */
  readonly unmapped: number
}

/** The middle of a letter of the Latin script. */
export function centerOf({ x, y, direction: [dx, dy], size, width }: Glyph): readonly [number, number] {
  return [x + (dx * width) / 2 - dy * size * 0.3, y + (dy * width) / 2 + dx * size * 0.3]
}
