import { DocumentError, tooMuchText } from '../document.ts'

const MAX_DEPTH = 100

type Outline = { readonly lines: string[]; length: number; readonly limit: number }

/** Converts JSON to an outline: a heading with the path for each object or array, its scalar values as a list. */
export function readJson(text: string, limit: number): { readonly markdown: string; readonly title: unknown } {
  const value = parseJson(text, 'The file is not valid JSON. Correct it and upload it again.')
  const outline: Outline = { lines: [], length: 0, limit }
  describe(value, '', 1, outline)
  return { markdown: outline.lines.join('\n'), title: (value as { title?: unknown } | null)?.title }
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

function describe(value: unknown, path: string, depth: number, outline: Outline): void {
  if (depth > MAX_DEPTH)
    throw new DocumentError('broken', `The JSON is nested deeper than ${MAX_DEPTH} levels. Reduce the nesting.`)
  if (!isContainer(value)) {
    write(outline, path === '' ? scalar(value) : `${heading(path, depth)}\n${scalar(value)}\n`)
    return
  }
  const list = Array.isArray(value)
  const entries = Object.entries(value)
  const scalars = entries.filter(([, item]) => !isContainer(item))
  if (scalars.length > 0 && path !== '') write(outline, heading(path, depth))
  for (const [key, item] of scalars) write(outline, list ? `- ${scalar(item)}` : `- ${key}: ${scalar(item)}`)
  if (scalars.length > 0) write(outline, '')
  for (const [key, item] of entries) {
    if (isContainer(item)) describe(item, list ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`, depth + 1, outline)
  }
}

function write(outline: Outline, line: string): void {
  outline.length += line.length + 1
  if (outline.length > outline.limit) throw tooMuchText(outline.limit)
  outline.lines.push(line)
}

const heading = (path: string, depth: number): string => `${'#'.repeat(Math.min(depth, 6))} ${path.replace(/\s+/g, ' ')}\n`

/** Indents the further lines of a list item, so that they stay in the item. */
function scalar(value: unknown): string {
  return typeof value === 'string'
    ? value
        .trim()
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join('\n  ')
    : String(value)
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

function parseJson(text: string, message: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new DocumentError('broken', message)
  }
}
