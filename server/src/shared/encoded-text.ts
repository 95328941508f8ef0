import { isUtf8 } from 'node:buffer'

export type Encoded =
  /** A text, whatever its media type says. `encode` encodes another text in the same form. */
  | {
      readonly kind: 'text'
      readonly text: string
      /** Runs of ASCII in a text that was read as UTF-16: a reader that takes it for UTF-8 sees them. */
      readonly asciiRuns?: string
      encode(text: string): string
    }
  | { readonly kind: 'bytes'; readonly type: string; readonly size: number }
  /** Declared as text or base64, and not decodable as such. */
  | { readonly kind: 'broken'; readonly message: string }
  /** Not a file: a URL with another scheme, an id, a word. */
  | { readonly kind: 'literal' }

const DATA_URL = /^data:([^,]*),/i
/** URL parsers skip control characters before a scheme, and tabs and line ends anywhere. */
const LEADING = /^[\s\p{Cc}]+/u
const SKIPPED = /[\t\n\r]+/g
const DATA_SCHEME = /^[\s\p{Cc}]*d[\t\n\r]*a[\t\n\r]*t[\t\n\r]*a[\t\n\r]*:/iu

export const isDataUrl = (value: string): boolean => DATA_SCHEME.test(value)

/** The beginning of a data: URL with its media type, up to the comma; empty: the value is no data: URL. */
export const headerOf = (value: string): string => (isDataUrl(value) ? value.slice(0, value.indexOf(',') + 1) : '')

const LINK = /^[\s\p{Cc}]*[a-z][a-z0-9+.-]*:\/\//iu
export const isLink = (value: string): boolean => LINK.test(value)

export const decodedLength = (base64: string): number => Buffer.byteLength(base64, 'base64')
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const TEXTUAL =
  /^$|^(?:text|message)\/|[+/](?:json|xml|yaml|x-yaml|toml|csv|sql|javascript|ecmascript|x-ndjson|jsonl|graphql|x-sh|rtf)$/

/** `isBare`: the field may hold base64 without `data:` in front of it. */
export function readEncoded(value: string, isBare: boolean): Encoded {
  const comma = isDataUrl(value) ? value.indexOf(',') + 1 : 0
  const header = DATA_URL.exec(value.slice(0, comma).replace(LEADING, '').replace(SKIPPED, ''))
  if (header) return readDataUrl(header[0], header[1] ?? '', value.slice(comma))
  const payload = isBare ? bare(value) : ''
  if (payload === '' || !BASE64.test(payload)) return { kind: 'literal' }
  return readBytes(Buffer.from(payload, 'base64'), { type: 'application/octet-stream' }, (bytes) => bytes.toString('base64'))
}

/** Shorter texts are words and ids. */
const MIN_ENCODED = 16

/** The text that a parser decodes from `value` if it skips all other than base64 characters; undefined: not a text. */
export function decodedText(value: string): string | undefined {
  if (value.length < MIN_ENCODED) return undefined
  return textOfBytes(Buffer.from(value, 'base64'))
}

/** The text of a file, decoded by its bytes, with what other readers see in it; undefined: they are not a text. */
export function textOfBytes(bytes: Buffer): string | undefined {
  const found = charsetOf(bytes)
  if (!found) return undefined
  const text = found.decode(bytes.subarray(found.mark.length))
  const asciiRuns = asciiRunsOf(bytes, found)
  return asciiRuns === '' ? text : `${text}\n${asciiRuns}`
}

const bare = (payload: string): string => (/\s/.test(payload) ? payload.replace(/\s+/g, '') : payload)

interface Declared {
  /** In lower case; empty: none, which counts as text. */
  readonly type: string
  readonly charset?: string | undefined
}

function readDataUrl(header: string, description: string, body: string): Encoded {
  const [type = '', ...parameters] = description
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length)
  const declared = { type, charset: charset?.replace(/^"|"$/g, '') }
  if (parameters.at(-1) !== 'base64' && type !== 'base64')
    return readBytes(percentDecoded(body), declared, (bytes) => header + percentEncoded(bytes))
  const payload = bare(body.includes('%') ? percentDecoded(body).toString('latin1') : body)
  if (!BASE64.test(payload)) return { kind: 'broken', message: 'is not base64, as its data: URL says' }
  const known = type === 'base64' ? { ...declared, type: '' } : declared
  return readBytes(Buffer.from(payload, 'base64'), known, (bytes) => header + bytes.toString('base64'))
}

const PERCENT = 0x25
/** The value of each byte that is a hexadecimal digit, and NOT_HEX for the others. */
const NOT_HEX = 0xff
const HEX_DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16)
  return Number.isNaN(digit) ? NOT_HEX : digit
})
const hexDigit = (byte: number | undefined): number => HEX_DIGITS[byte ?? 0] ?? NOT_HEX

/** Creates no text for each escape: a file may have millions of them. */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    const high = byte === PERCENT ? hexDigit(bytes[at + 1]) : NOT_HEX
    const low = hexDigit(bytes[at + 2])
    const isEscape = high !== NOT_HEX && low !== NOT_HEX
    bytes[length++] = isEscape ? high * 16 + low : byte
    if (isEscape) at += 2
  }
  return bytes.subarray(0, length)
}

const percentEncoded = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replace(/[^A-Za-z0-9._~-]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

interface Charset {
  readonly mark: Buffer
  decode(bytes: Buffer): string
  encode(text: string): Buffer
}

const NO_MARK = Buffer.alloc(0)
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16()
const even = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - (bytes.length % 2))

const UTF8: Charset = { mark: NO_MARK, decode: (bytes) => bytes.toString('utf8'), encode: (text) => Buffer.from(text) }
const UTF16LE: Charset = {
  mark: NO_MARK,
  decode: (bytes) => bytes.toString('utf16le'),
  encode: (text) => Buffer.from(text, 'utf16le'),
}
const UTF16BE: Charset = {
  mark: NO_MARK,
  decode: (bytes) => swapped(even(bytes)).toString('utf16le'),
  encode: (text) => swapped(Buffer.from(text, 'utf16le')),
}
const LATIN1: Charset = {
  mark: NO_MARK,
  decode: (bytes) => bytes.toString('latin1'),
  encode(text) {
    const bytes = Buffer.from(text, 'latin1')
    if (bytes.toString('latin1') !== text) throw new RangeError('a text cannot be written in ISO-8859-1')
    return bytes
  },
}

const MARKS: readonly Charset[] = [
  { ...UTF8, mark: Buffer.of(0xef, 0xbb, 0xbf) },
  { ...UTF16LE, mark: Buffer.of(0xff, 0xfe) },
  { ...UTF16BE, mark: Buffer.of(0xfe, 0xff) },
]

/** Charsets that a data: URL may name. Others could hide a word from the detectors. */
const NAMED: Readonly<Record<string, Charset>> = {
  'utf-8': UTF8,
  utf8: UTF8,
  'us-ascii': UTF8,
  ascii: UTF8,
  'iso-8859-1': LATIN1,
  latin1: LATIN1,
  'windows-1252': LATIN1,
  'utf-16le': UTF16LE,
  'utf-16': UTF16LE,
  'utf-16be': UTF16BE,
}

function readBytes(bytes: Buffer, { type, charset }: Declared, write: (bytes: Buffer) => string): Encoded {
  const found = charsetOf(bytes)
  if (!found) {
    return TEXTUAL.test(type)
      ? { kind: 'broken', message: 'says that it is text and cannot be read as such: send it as UTF-8' }
      : { kind: 'bytes', type, size: bytes.length }
  }
  const named = charset !== undefined && Object.hasOwn(NAMED, charset) ? NAMED[charset] : undefined
  if (charset !== undefined && (!named || !fits(named, found, bytes)))
    return { kind: 'broken', message: 'has a charset that it cannot be read by: send it as UTF-8' }
  const { mark } = found
  const text = found.decode(bytes.subarray(mark.length))
  const asciiRuns = asciiRunsOf(bytes, found)
  return {
    kind: 'text',
    text,
    ...(asciiRuns !== '' && { asciiRuns }),
    encode: (changed) => write(Buffer.concat([mark, found.encode(changed)])),
  }
}

/** In UTF-16, ASCII characters have a zero between them. Shorter runs are characters of other scripts. */
const ASCII_RUN = /[\x20-\x7e]{8,}/g
const asciiRunsOf = (bytes: Buffer, charset: Charset): string =>
  charset === UTF8 || charset === LATIN1 ? '' : (bytes.toString('latin1').match(ASCII_RUN) ?? []).join('\n')

const fits = (named: Charset, found: Charset, bytes: Buffer): boolean => {
  const body = bytes.subarray(found.mark.length)
  return named.decode(body) === found.decode(body)
}

/** Decodes by the bytes themselves, not by their declared type. Undefined: they are not a text. */
function charsetOf(bytes: Buffer): Charset | undefined {
  const marked = MARKS.find(({ mark }) => bytes.subarray(0, mark.length).equals(mark))
  const wide = marked ?? wideCharset(bytes)
  if (wide && isText(wide.decode(bytes.subarray(wide.mark.length, SAMPLE)))) return wide
  if (isUtf8(bytes)) return UTF8
  return hasBinaryControls(bytes) ? undefined : LATIN1
}

const SAMPLE = 4_096

/** UTF-16 without a byte order mark is recognised by the zeros in every other byte of its ASCII characters. */
function wideCharset(bytes: Buffer): Charset | undefined {
  const length = Math.min(bytes.length, SAMPLE)
  if (length < 2) return undefined
  const zeros = [0, 0]
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [first = 0, second = 0] = zeros
  const many = length / 2 / 4
  if (second > many && first <= many / 4) return UTF16LE
  return first > many && second <= many / 4 ? UTF16BE : undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the ones searched for
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]/

/** Of a sample, which may end within a character. */
const isText = (sample: string): boolean => !BINARY.test(sample.slice(0, -2))

function hasBinaryControls(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b) return true
  return false
}
