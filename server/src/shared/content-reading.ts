import { GatehouseError } from '../errors.ts'
import { integersIn } from '../platform/lib/json-numbers.ts'
import { decodedText, type Encoded, headerOf, readEncoded } from './encoded-text.ts'
import { readable, rewritten } from './json-text.ts'
import type { UnreadKind } from './unread.ts'

/** Called for each part of a value: `text` returns the text that replaces it. */
export interface Visitor {
  text(text: string): string
  /** A picture, sound or file that no detector reads. `bytes`: its decoded size. */
  unread(kind: UnreadKind, bytes: number): void
  /** Called for each data: URL inside a text, before it is decoded. */
  dataUrl?(): void
  /** A picture, sound or file that the provider fetches. */
  linked(kind: UnreadKind): void
}

/** Thrown when a text cannot be replaced, because the provider would not accept another one in its place. */
export class Unchangeable extends Error {
  constructor(place: string) {
    super(`a transform cannot change ${place}`)
    this.name = 'Unchangeable'
  }
}

/** Shorter texts are scanned as they are as well: a word or a key may consist of base64 characters. */
const LITERAL_LENGTH = 200

interface FileValue {
  /** Its base64 may stand without `data:` in front of it. */
  readonly isBare: boolean
  readonly kind: UnreadKind
}

const OFFICE =
  /vnd\.openxmlformats-officedocument\.(?:wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation)/
const MEDIA_TYPES = [
  'image/(?:png|jpe?g|gif|webp)',
  'audio/(?:wav|mp3|mpeg)',
  'text/(?:plain|csv|html|markdown)',
  `application/(?:pdf|json|octet-stream|${OFFICE.source})`,
]
/** Headers that say only what a file is. */
const PLAIN_HEADER = new RegExp(`^data:(?:${MEDIA_TYPES.join('|')})(?:;charset=utf-8)?(?:;base64)?,$`)

/** A media type and its parameters may hold any text. It is scanned, and cannot be replaced. */
function scanHeader(header: string, visitor: Visitor): void {
  if (header === '' || PLAIN_HEADER.test(header)) return
  if (visitor.text(header) !== header) throw new Unchangeable('the media type of a file')
}

/** The text of a data: URL has the URL, whose bytes are counted once. */
const ALREADY_COUNTED = (): void => {}

export function mapEncoded(value: string, { isBare, kind }: FileValue, visitor: Visitor): string {
  scanHeader(headerOf(value), visitor)
  const encoded = readEncoded(value, isBare)
  const isShort = value.length < LITERAL_LENGTH
  if (encoded.kind === 'bytes') {
    visitor.unread(kindOf(encoded.type, kind), encoded.size)
    return isShort ? mapText(value, false, { ...visitor, unread: ALREADY_COUNTED }) : value
  }
  if (encoded.kind === 'literal' && isBare) return mapLiteral(value, visitor)
  if (encoded.kind !== 'text') return mapText(value, false, visitor)
  scanRuns(encoded.asciiRuns, visitor)
  const literal = isShort && isBare ? mapText(value, false, visitor) : value
  const mapped = mapText(encoded.text, false, visitor)
  if (literal !== value) return literal
  return mapped === encoded.text ? value : encoded.encode(mapped)
}

/** The other reading of a UTF-16 text is scanned as well, and cannot be replaced. */
function scanRuns(runs: string | undefined, visitor: Visitor): void {
  if (runs !== undefined && mapText(runs, false, visitor) !== runs) throw new Unchangeable('a file in UTF-16')
}

/** A part for files may hold a picture or sound: its media type says so. */
function kindOf(mediaType: string, kind: UnreadKind): UnreadKind {
  if (kind !== 'file') return kind
  return mediaType.startsWith('image/') ? 'image' : mediaType.startsWith('audio/') ? 'audio' : kind
}

/** A text that a lenient parser may decode as base64: the decoded text is scanned as well, and cannot be replaced. */
export function mapLiteral(value: string, visitor: Visitor): string {
  const hidden = decodedText(value)
  if (hidden !== undefined && mapText(hidden, false, visitor) !== hidden)
    throw new Unchangeable('base64 in a field without data:')
  return mapText(value, false, visitor)
}

/** No signature can be replaced. A short one may be an API key; a finding in the random letters of a long one is a coincidence. */
export function mapSignature(value: string, visitor: Visitor): string {
  if (visitor.text(value) !== value && value.length < LITERAL_LENGTH) throw new Unchangeable('a signature')
  return value
}

/** Scans a text as its reader decodes it: the strings of JSON, the contents of data: URLs, and the numbers in the arguments of a call. */
export function mapText(text: string, isArguments: boolean, visitor: Visitor): string {
  const shown = readable(text, isArguments)
  const urls = mapDataUrls(shown, visitor)
  const numbers = isArguments ? mapNumbers(shown, visitor) : NONE
  const mapped = withReplaced(withReplaced(visitor.text(shown), urls, DATA_URL), numbers, NUMBER)
  return mapped === shown ? text : rewritten(text, mapped, isArguments)
}

const HAS_SCHEME = /data:/i
const DATA_URL = /data:(?:[\w.+-]{1,64}\/[\w.+-]{1,64})?(?:;[\w.+=-]{1,64}){0,8},[^\s"'<>)\]}\\]{4,}/gi

function mapDataUrls(text: string, visitor: Visitor): ReadonlyMap<string, string> {
  if (!HAS_SCHEME.test(text)) return NONE
  const changed = new Map<string, string>()
  for (const [url] of text.matchAll(DATA_URL)) {
    visitor.dataUrl?.()
    const encoded: Encoded = readEncoded(url, false)
    if (encoded.kind === 'bytes') visitor.unread(kindOf(encoded.type, 'file'), encoded.size)
    if (encoded.kind !== 'text') continue
    scanRuns(encoded.asciiRuns, visitor)
    const mapped = visitor.text(encoded.text)
    if (mapped !== encoded.text) changed.set(url, encoded.encode(mapped))
  }
  return changed
}

const NONE: ReadonlyMap<string, string> = new Map()

const HAS_FRACTION = /\d[.eE]/
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Shorter numbers have less than seven digits besides a fraction or an exponent. `integersIn` takes long, and coordinates are many short numbers. */
const SHORTEST_HIDING = '1234567.0'.length

/** Visits the integers in numbers with a fraction or an exponent, as one text. Returns the changed numbers. */
function mapNumbers(text: string, visitor: Visitor): ReadonlyMap<string, string> {
  if (!HAS_FRACTION.test(text)) return NONE
  const found: [number: string, integer: string][] = []
  for (const [number] of text.matchAll(NUMBER)) {
    if (number.length >= SHORTEST_HIDING) for (const integer of integersIn(number)) found.push([number, integer])
  }
  if (found.length === 0) return NONE
  const integers = found.map(([, integer]) => integer).join('\n')
  const read = visitor.text(integers)
  if (read === integers) return NONE
  const lines = read.split('\n')
  if (lines.length !== found.length) throw new Unchangeable('numbers in the arguments of a call')
  const changed = found.map(([number, integer], index): [string, string] => [number, lines[index] ?? integer])
  return new Map(changed.filter(([, line], index) => line !== found[index]?.[1]))
}

/** Index of the first data: URL inside a text; the length of the text: none. */
export function firstDataUrl(text: string): number {
  const at = HAS_SCHEME.test(text) ? text.search(DATA_URL) : -1
  return at < 0 ? text.length : at
}

/** Puts what was changed into a text that may have been changed itself. Throws if one of the originals is missing there. */
function withReplaced(text: string, changed: ReadonlyMap<string, string>, pattern: RegExp): string {
  if (changed.size === 0) return text
  const left = new Set(changed.keys())
  const result = text.replace(pattern, (original) => {
    left.delete(original)
    return changed.get(original) ?? original
  })
  if (left.size > 0) throw new Unchangeable('a data: URL or a number inside a text')
  return result
}

/** Each data: URL is decoded and scanned as a separate text, which takes longer than the rest of its text. */
const MAX_DATA_URLS = 8_192
const TOO_MANY = `Texts must not hold more than ${MAX_DATA_URLS} data: URLs together. Send files as content parts, or in several requests.`

/** A function to call for each data: URL inside the texts of a request. Throws a GatehouseError (413) if there are too many. */
export function countDataUrls(): () => void {
  let count = 0
  return () => {
    if (++count > MAX_DATA_URLS) throw new GatehouseError('PAYLOAD_TOO_LARGE', { message: TOO_MANY })
  }
}

const SCHEME = /data:/gi
const MIN_LENGTH = MAX_DATA_URLS * 'data:,'.length

export function holdsManyDataUrls(json: string): boolean {
  if (json.length < MIN_LENGTH) return false
  let left = MAX_DATA_URLS
  for (const _ of json.matchAll(SCHEME)) if (left-- === 0) return true
  return false
}
