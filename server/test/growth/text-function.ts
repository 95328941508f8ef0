/** A function that reads texts of clients, documents or providers. */
export interface TextFunction {
  readonly run: (text: string) => unknown
  readonly shapes?: Readonly<Record<string, Shape>>
  /** Maximum length, if the function refuses longer texts or never gets them. */
  readonly most?: number
  /** Replaces the common shapes for functions that need a second for each. */
  readonly common?: Readonly<Record<string, Shape>>
}

export const LIMIT = Number.MAX_SAFE_INTEGER
export const refused = <T>(work: () => T): T | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}
export const bytes = (text: string) => Buffer.from(text)

/** Builds a hostile text of about `length` UTF-16 units. */
type Shape = (length: number) => string

const repeated = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length))

/** A repeated unit between the start of a match and the text that breaks it. */
const around =
  (before: string, unit: string, after: string): Shape =>
  (length) =>
    before + repeated(unit, length) + after

const UNITS = [
  ...[' ', '\n', 'a', 'a ', 'é', '忽', '🙂', '\u0301\u0316', '\u200b', '0', '.', '-', '#', '|', '`', '"', "'", '\\', '=', '&'],
  ...['@', '<', '<a>', '[', '[]', '{"a":', '\\u0041', '\n ', '\n- ', 'a@'],
]

/** Shapes for every function. The character on either side prevents trimming and anchors from shortening the work. */
export const COMMON_SHAPES: Readonly<Record<string, Shape>> = Object.fromEntries(
  UNITS.map((unit) => [`${JSON.stringify(unit)}…`, around('x', unit, 'x')]),
)

/** Shapes for one function: the start of a match, the repeated unit, and the text that breaks the match. */
export const shapes = (...parts: readonly (readonly [before: string, unit: string, after: string])[]): Record<string, Shape> =>
  Object.fromEntries(
    parts.map(([before, unit, after]) => [JSON.stringify([before, unit, after.slice(0, 20)]), around(before, unit, after)]),
  )
