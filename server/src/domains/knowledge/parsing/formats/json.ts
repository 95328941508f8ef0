import { DocumentError, tooMuchText } from '../document.ts'
import { Fields, type JsonValue, Literal, parseAsWritten } from './json-values.ts'

const MAX_DEPTH = 100

type Outline = { readonly lines: string[]; length: number; readonly limit: number }

/** Converts JSON to an outline: a heading with the path for each object or array, its scalar values as a list. */
export function readJson(text: string, limit: number): { readonly markdown: string; readonly title: unknown } {
  const value = parseJson(text, 'The file is not valid JSON. Correct it and upload it again.')
  const outline: Outline = { lines: [], length: 0, limit }
  describe(value, '', 1, outline)
  return { markdown: outline.lines.join('\n'), title: fieldOf(value, 'title') }
}

/** Converts JSON lines: a heading with the number for each record. */
export function readJsonLines(text: string, limit: number): string {
  const outline: Outline = { lines: [], length: 0, limit }
  let record = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    record += 1
    const value = parseJson(line, `Line ${index + 1} is not valid JSON. Correct it and upload the file again.`)
    describe(value, `Record ${record}`, 2, outline)
  }
  return outline.lines.join('\n')
}

/** The last one if there are several. */
export const fieldOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  value instanceof Fields ? value.entries.findLast(([key]) => key === name)?.[1] : undefined

function describe(value: JsonValue, path: string, depth: number, outline: Outline): void {
  if (depth > MAX_DEPTH)
    throw new DocumentError('broken', `The JSON is nested deeper than ${MAX_DEPTH} levels. Reduce the nesting.`)
  if (isScalar(value)) {
    write(outline, path === '' ? scalar(value) : `${heading(path, depth)}\n${scalar(value)}\n`)
    return
  }
  const list = Array.isArray(value)
  const entries: readonly (readonly [string | number, JsonValue])[] = list ? [...value.entries()] : value.entries
  const scalars = entries.filter(([, item]) => isScalar(item))
  if (scalars.length > 0 && path !== '') write(outline, heading(path, depth))
  for (const [key, item] of scalars) if (isScalar(item)) write(outline, list ? `- ${scalar(item)}` : `- ${key}: ${scalar(item)}`)
  if (scalars.length > 0) write(outline, '')
  for (const [key, item] of entries) {
    if (!isScalar(item)) describe(item, list ? `${path}[${key}]` : path === '' ? `${key}` : `${path}.${key}`, depth + 1, outline)
  }
}

function write(outline: Outline, line: string): void {
  outline.length += line.length + 1
  if (outline.length > outline.limit) throw tooMuchText(outline.limit)
  outline.lines.push(line)
}

const heading = (path: string, depth: number): string => `${'#'.repeat(Math.min(depth, 6))} ${path.replace(/\s+/g, ' ')}\n`

/** Indents the further lines of a list item, so that they stay in the item. */
function scalar(value: string | Literal): string {
  if (typeof value !== 'string') return value.text
  return value
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n  ')
}

const isScalar = (value: JsonValue): value is string | Literal => typeof value === 'string' || value instanceof Literal

function parseJson(text: string, message: string): JsonValue {
  try {
    return parseAsWritten(text)
  } catch {
    throw new DocumentError('broken', message)
  }
}
