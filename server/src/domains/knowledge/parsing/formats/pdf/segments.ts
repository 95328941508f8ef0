import type { Glyph } from './glyph.ts'

/** A letter in the frame of its line: `u` along the line, `v` up. */
export interface Letter {
  readonly glyph: Glyph
  readonly u: number
  readonly v: number
  readonly end: number
  /** Whether the file has a space before it. */
  readonly afterSpace: boolean
}

/** Letters without a large gap, such as a line of a paragraph or the cell of a table. */
export interface Segment {
  letters: Letter[]
  u: number
  end: number
  /** Base line and height of most of its letters. */
  readonly v: number
  readonly size: number
  /** Place in the order in which the file paints. */
  readonly at: number
}

/** Segments on one base line, from left to right. */
export interface Row {
  readonly v: number
  readonly size: number
  readonly segments: readonly Segment[]
}

/** A larger gap, in heights of the letters, separates columns. */
const COLUMN_GAP = 1.1
const SAME_BASE_LINE = 0.35
const MAX_SHIFT = 0.7

/** The letters of each direction of writing, the most frequent one first. */
export function framesOf(glyphs: readonly Glyph[]): readonly (readonly Letter[])[] {
  const frames = new Map<number, Letter[]>()
  let afterSpace = false
  for (const glyph of glyphs) {
    if (glyph.text.trim() === '') {
      afterSpace = true
      continue
    }
    const [dx, dy] = glyph.direction
    const angle = (Math.round((Math.atan2(dy, dx) * 180) / Math.PI) + 360) % 360
    const u = glyph.x * dx + glyph.y * dy
    const letter = { glyph, u, v: glyph.y * dx - glyph.x * dy, end: u + glyph.width, afterSpace }
    afterSpace = /\s$/.test(glyph.text)
    const frame = frames.get(angle)
    if (frame) frame.push(letter)
    else frames.set(angle, [letter])
  }
  return [...frames.values()].sort((one, other) => other.length - one.length)
}

/** The rows of a frame from top to bottom. */
export function rowsOf(letters: readonly Letter[]): readonly Row[] {
  const segments = segmentsOf(letters)
  segments.sort((one, other) => other.v - one.v)
  const rows: Segment[][] = []
  for (const segment of segments) {
    const row = rows.at(-1)
    const first = row?.[0]
    if (row && first && first.v - segment.v <= SAME_BASE_LINE * Math.min(first.size, segment.size)) row.push(segment)
    else rows.push([segment])
  }
  return attachShifted(rows).map(rowOf)
}

/** Joins letters in the order in which they are painted, as long as they go on in one line. */
function segmentsOf(letters: readonly Letter[]): Segment[] {
  const segments: Letter[][] = []
  for (const letter of letters) {
    const before = segments.at(-1)?.at(-1)
    if (before && isNext(before, letter)) segments.at(-1)?.push(letter)
    else segments.push([letter])
  }
  return segments.map(segmentOf)
}

function isNext(before: Letter, letter: Letter): boolean {
  const size = Math.max(before.glyph.size, letter.glyph.size)
  const gap = letter.u - before.end
  const isSameLine =
    Math.abs(letter.v - before.v) <= (before.glyph.size === letter.glyph.size ? SAME_BASE_LINE : MAX_SHIFT) * size
  return isSameLine && gap <= COLUMN_GAP * size && gap >= -0.5 * Math.max(before.end - before.u, 0.5 * size)
}

function segmentOf(letters: Letter[]): Segment {
  const largest = letters.reduce((best, letter) => (letter.glyph.size > best.glyph.size * 1.05 ? letter : best))
  return {
    letters,
    u: Math.min(...bounded(letters).map(({ u }) => u)),
    end: Math.max(...bounded(letters).map(({ end }) => end)),
    v: largest.v,
    size: largest.glyph.size,
    at: letters[0]?.glyph.at ?? 0,
  }
}

/** Letters go on to the right: the first and the last ones bound a long segment. */
const bounded = (letters: readonly Letter[]) =>
  letters.length > 1_000 ? [...letters.slice(0, 100), ...letters.slice(-100)] : letters

/** Moves rows of small, raised or lowered letters (exponents, marks of footnotes) to the row beside which they stand. */
function attachShifted(rows: readonly Segment[][]): Segment[][] {
  const kept = rows.map((row) => [...row])
  kept.forEach((row, index) => {
    for (const segment of [...row]) {
      for (const near of [kept[index - 1], kept[index + 1]]) {
        const host = near?.find((other) => isShiftedFrom(other, segment))
        if (!near || !host) continue
        near.push(segment)
        row.splice(row.indexOf(segment), 1)
        break
      }
    }
  })
  return kept.filter((row) => row.length > 0)
}

function isShiftedFrom(host: Segment, { u, end, v, size }: Segment): boolean {
  const isSmall = size < 0.85 * host.size && Math.abs(v - host.v) <= MAX_SHIFT * host.size
  // Between two of its letters, or beside it.
  return isSmall && u >= host.u - 0.3 * host.size - (end - u) && u <= host.end + 0.3 * host.size
}

function rowOf(segments: readonly Segment[]): Row {
  const largest = segments.reduce((best, segment) => (segment.size > best.size ? segment : best))
  const joined: Segment[][] = []
  for (const segment of [...segments].sort((one, other) => one.u - other.u)) {
    const last = joined.at(-1)?.at(-1)
    if (last && segment.u - last.end <= COLUMN_GAP * Math.max(last.size, segment.size)) joined.at(-1)?.push(segment)
    else joined.push([segment])
  }
  const whole = joined.flatMap((parts) => (parts.length === 1 ? parts : [segmentOf(parts.flatMap(({ letters }) => letters))]))
  return { v: largest.v, size: largest.size, segments: whole }
}
