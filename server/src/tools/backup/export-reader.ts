import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { gunzipFile } from '../../platform/lib/gunzip-file.ts'
import { type Checked, checker } from '../../platform/lib/schema.ts'
import { End, FilePart, FORMAT_VERSION, Header, type Part, TablePart } from './export-format.ts'

export class DamagedExportError extends Error {}

const NOT_AN_EXPORT = 'the file is not an export of Gatehouse, or it was damaged'
const checkHeader = checker(Header)
const checkTablePart = checker(TablePart)
const checkFilePart = checker(FilePart)
const checkEnd = checker(End)
const NEWLINE = 10
/** The longest text of Node has 2^29 characters. */
const MAX_LINE_BYTES = 2 ** 29 - 64
/** The level of ExportWriter compresses to at least a 230th. */
const MAX_COMPRESSION = 256

/** Throws a DamagedExportError, possibly after the last part: read it to the end first. TypeError: too much data. */
export async function* readExport(path: string): AsyncGenerator<Part, void> {
  const hash = createHash('sha256')
  const tables: Record<string, number> = {}
  let files = 0
  let table = ''
  for await (const line of readLines(path)) {
    const value = parseLine(line)
    if (isObjectWith(value, 'end')) {
      if (isDeepStrictEqual({ ...parse(checkEnd, value).end }, { tables, files, sha256: hash.digest('hex') })) return
      throw new DamagedExportError(
        'the file was damaged: its content does not have the hash at its end. Export again, or copy it again',
      )
    }
    hash.update(line)
    const part = toPart(value)
    if (part.kind === 'table') {
      table = part.table
      tables[table] = 0
    } else if (part.kind === 'row') tables[table] = (tables[table] ?? 0) + 1
    else if (part.kind === 'file') files += 1
    yield part
  }
  throw new DamagedExportError('the file ends too early: export again, or copy it again')
}

function parseLine(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    throw new DamagedExportError(NOT_AN_EXPORT)
  }
}

function toPart(value: unknown): Part {
  if (typeof value === 'string') return { kind: 'chunk', bytes: Buffer.from(value, 'base64') }
  if (Array.isArray(value) && value.every((item) => item === null || typeof item === 'string')) return { kind: 'row', row: value }
  if (isObjectWith(value, 'table')) return { kind: 'table', ...parse(checkTablePart, value) }
  if (isObjectWith(value, 'file')) return { kind: 'file', place: parse(checkFilePart, value).file }
  if (isObjectWith(value, 'format') && value.version !== FORMAT_VERSION)
    throw new DamagedExportError(
      `the export has the format ${value.version}, which this version does not read: install a newer one`,
    )
  return { kind: 'header', header: parse(checkHeader, value) }
}

const isObjectWith = <K extends string>(value: unknown, key: K): value is Record<string, unknown> & Record<K, unknown> =>
  typeof value === 'object' && value !== null && key in value

function parse<T>(check: (value: unknown) => Checked<T>, value: unknown): T {
  const checked = check(value)
  if (checked.ok) return checked.value
  throw new DamagedExportError(NOT_AN_EXPORT)
}

/** Yields each line with its line feed. */
async function* readLines(path: string): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of gunzipFile(path, MAX_COMPRESSION)) {
      let start = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        yield Buffer.concat([...parts, chunk.subarray(start, at + 1)])
        parts = []
        length = 0
        start = at + 1
      }
      parts.push(chunk.subarray(start))
      length += chunk.length - start
      if (length > MAX_LINE_BYTES) throw new DamagedExportError('the file has a line that is too long')
    }
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw new DamagedExportError(`${NOT_AN_EXPORT} or cut`, { cause: error })
    throw error
  }
}
