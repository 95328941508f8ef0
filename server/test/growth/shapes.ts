/** Builds a hostile text of about `length` UTF-16 units. */
export type Shape = (length: number) => string

const repeated = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length))

/** One unit again and again between what begins and what breaks a match. */
const around =
  (before: string, unit: string, after: string): Shape =>
  (length) =>
    before + repeated(unit, length) + after

const UNITS = [
  ...[' ', '\n', 'a', 'a ', 'é', '忽', '🙂', '\u0301\u0316', '\u200b', '0', '.', '-', '#', '|', '`', '"', "'", '\\', '=', '&'],
  ...['@', '<', '<a>', '[', '[]', '{"a":', '\\u0041', '\n ', '\n- ', 'a@'],
]

/** Shapes that every function is tried with: a character on either side keeps what trims or anchors from helping. */
export const COMMON_SHAPES: Readonly<Record<string, Shape>> = Object.fromEntries(
  UNITS.map((unit) => [`${JSON.stringify(unit)}…`, around('x', unit, 'x')]),
)

/** Shapes for one function: what begins a match, what repeats and what breaks it. */
export const shapes = (...parts: readonly (readonly [before: string, unit: string, after: string])[]): Record<string, Shape> =>
  Object.fromEntries(
    parts.map(([before, unit, after]) => [JSON.stringify([before, unit, after.slice(0, 20)]), around(before, unit, after)]),
  )
