import { integersIn, keptNumber } from '../platform/lib/json-numbers.ts'
import { type Fields, isObject, textOf } from '../platform/lib/untrusted-json.ts'
import { countDataUrls, mapEncoded, mapLiteral, mapSignature, mapText, Unchangeable, type Visitor } from './content-reading.ts'
import { decodedLength, isDataUrl, isLink } from './encoded-text.ts'
import { fileFieldOf, isOpaque } from './file-fields.ts'
import { type Unread, type UnreadKind, UnreadTally } from './unread.ts'
import { VOCABULARY } from './vocabulary.ts'

/** One chat message. An Application's `extensions` allow more than GW-ENUM-7. Fields that the gateway does not know are passed on. */
export interface ChatMessage {
  readonly role: string
  readonly content?: string | readonly ContentPart[] | null
  readonly [field: string]: unknown
}

export interface ContentPart {
  readonly type: string
  readonly text?: string
  readonly [field: string]: unknown
}

export interface Collected {
  readonly texts: readonly string[]
  /** For each message, the indices of its texts that a reader sees joined: the reasoning, and the content. */
  readonly spoken: readonly Spoken[]
  readonly unread: Unread
}

export interface Spoken {
  readonly reasoning: readonly number[]
  readonly said: readonly number[]
}

/**
 * Every string in `value` that a user or a model may have written, in a fixed order: message contents, parts, ids, tool arguments,
 * parameters that are passed on, and the names of fields that the API does not define. All else that goes to a provider is the API's
 * vocabulary, is checked by schema, or counts as `unread`: the bytes of a picture, sound or file. Text files and the strings of JSON
 * texts (json-text.ts) are decoded.
 *
 * An array counts as messages, an object as parameters. Throws a GatehouseError (413) if texts hold too many data: URLs.
 */
export function collect(value: unknown): Collected {
  const texts: string[] = []
  const spoken: Spoken[] = []
  const unread = new UnreadTally()
  mapTexts(value, {
    text(text) {
      texts.push(text)
      return text
    },
    dataUrl: countDataUrls(),
    unread: (kind, bytes) => unread.add(kind, bytes),
    linked: (kind) => unread.addLink(kind),
    position: () => texts.length,
    spoke: (message) => spoken.push(message),
  })
  return { texts, spoken, unread: unread.total }
}

export function readContent(value: unknown, { text, ...reader }: ContentReader): void {
  const keep = (read: string): string => {
    text(read)
    return read
  }
  mapTexts(value, { ...reader, text: keep, position: () => 0, spoke: () => {} })
}

/** Texts that a reader sees as one: the reasoning and the content of a message. `from`: index of the first text in a longer list. */
export const joinsWithin = (spoken: readonly Spoken[], from = 0): readonly (readonly number[])[] =>
  spoken.map(({ reasoning, said }) => [...reasoning, ...said].map((index) => from + index)).filter(isSplit)

/** The same for the choices of a completion, which may be read one after the other. */
export const joinsAcross = (spoken: readonly Spoken[]): readonly (readonly number[])[] => [
  ...joinsWithin(spoken),
  ...(spoken.length > 1
    ? [spoken.flatMap(({ said }) => said), spoken.flatMap(({ reasoning }) => reasoning)].filter(isSplit)
    : []),
]

/**
 * The texts of each run of consecutive messages of users, and of assistants. `spoken`: of the messages, from `collect`. A message that says
 * nothing, and a tool's result, do not end a run: some providers get the messages around them as one.
 */
export function joinsOfTurns(messages: readonly ChatMessage[], spoken: readonly Spoken[]): readonly (readonly number[])[] {
  const runs: number[][] = []
  let last = ''
  for (const [at, message] of messages.entries()) {
    const { role, tool_calls: calls } = message
    const saysNothing = typedText(message) === '' && !(Array.isArray(calls) && calls.length > 0)
    if (role === 'tool' || saysNothing) continue
    if (role !== last) runs.push([])
    last = role
    if (role !== 'user' && role !== 'assistant') continue
    for (const index of spoken[at]?.said ?? []) runs.at(-1)?.push(index)
  }
  return runs.filter(isSplit)
}

const isSplit = (indices: readonly number[]): boolean => indices.length > 1

export function typedText({ content }: ChatMessage): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : [])).join('\n')
}

export const collectTexts = (value: unknown): readonly string[] => collect(value).texts

/** Replaces texts in the order of `collect`. Shares what did not change. Throws Unchangeable where another text cannot stand. */
export function replaceTexts<T>(value: T, texts: readonly string[]): T {
  let next = 0
  const text = (old: string): string => texts[next++] ?? old
  return mapTexts(value, { text, unread: () => {}, linked: () => {}, position: () => next, spoke: () => {} }) as T
}

type ContentReader = Pick<Visitor, 'unread' | 'linked'> & { readonly text: (text: string) => void }

interface Visit extends Visitor {
  /** How many texts were visited. */
  position(): number
  spoke(message: Spoken): void
}

/** Numbers whose schema bounds them too tightly to hold personal data. */
const BOUNDED: ReadonlySet<string> = new Set([
  'temperature',
  'n',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
  'max_tokens',
  'max_completion_tokens',
])

function mapTexts(value: unknown, visit: Visit): unknown {
  if (Array.isArray(value)) return mapItems(value, (message) => mapMessage(message, visit))
  if (!isObject(value)) return mapAny(value, visit)
  return mapFields(value, visit, (field, name) => {
    // A predicted completion has the content of a message.
    if (name === 'prediction') return mapMessage(field, visit)
    if (typeof field === 'number') return BOUNDED.has(name) ? field : fixed(field, mapAny(field, visit), name)
    return FIXED.has(name) ? fixed(field, mapAny(field, visit), name) : mapAny(field, visit)
  })
}

/** Parameters whose texts cannot be replaced: token ids, names of laws. */
const FIXED: ReadonlySet<string> = new Set(['logit_bias', 'regulations'])

function fixed(field: unknown, mapped: unknown, name: string): unknown {
  if (mapped !== field) throw new Unchangeable(name)
  return field
}

const REASONING: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning'])
const SAID: ReadonlySet<string> = new Set(['content', 'refusal'])

function mapMessage(message: unknown, visit: Visit): unknown {
  if (!isObject(message)) return mapAny(message, visit)
  const spoken = { reasoning: [] as number[], said: [] as number[] }
  const mapped = mapFields(message, visit, (field, name) => {
    const from = visit.position()
    if (name === 'content' && Array.isArray(field)) return mapItems(field, (part) => mapPart(part, visit, spoken.said))
    if (name === 'reasoning_details' && Array.isArray(field))
      return mapItems(field, (detail) => mapDetail(detail, visit, spoken.reasoning))
    const next = mapAny(field, visit, name)
    if (SAID.has(name)) addRange(spoken.said, from, visit.position())
    if (REASONING.has(name)) addRange(spoken.reasoning, from, visit.position())
    return next
  })
  visit.spoke(spoken)
  return mapped
}

/** One piece of a model's reasoning: a sentence may continue in the next one. */
function mapDetail(detail: unknown, visit: Visit, reasoning: number[]): unknown {
  if (!isObject(detail)) return mapAny(detail, visit)
  return mapFields(detail, visit, (field, name) => {
    const from = visit.position()
    const next = mapAny(field, visit, name)
    if (name === 'text' || name === 'summary') addRange(reasoning, from, visit.position())
    return next
  })
}

function addRange(indices: number[], from: number, to: number): void {
  for (let index = from; index < to; index++) indices.push(index)
}

/** Adds the indices of the part's texts to `said`, without the names and addresses of files. */
function mapPart(part: unknown, visit: Visit, said: number[]): unknown {
  if (!isObject(part)) return mapAny(part, visit)
  const kind = textOf(part.type)
  const bytes = fileFieldOf(kind)
  const fileKind: UnreadKind = bytes?.kind ?? 'file'
  const encoded = (field: string, isFile: boolean) =>
    mapEncoded(field, { isBare: isFile && bytes?.bare === true, kind: fileKind }, visit)
  const noteLink = (field: unknown, isAddress: boolean): void => {
    if (typeof field === 'string' && field !== '' && (isLink(field) || (isAddress && !isDataUrl(field)))) visit.linked(fileKind)
  }
  const isEncoded = (field: unknown, isFile: boolean): field is string =>
    typeof field === 'string' && (isFile || isDataUrl(field))
  return mapFields(part, visit, (field, name) => {
    if (name === 'text' || name === 'refusal' || (name === kind && !bytes && typeof field === 'string')) {
      const from = visit.position()
      const next = mapAny(field, visit)
      addRange(said, from, visit.position())
      return next
    }
    noteLink(field, bytes?.bare === false && name === kind)
    if (isEncoded(field, bytes !== undefined && name === kind)) return encoded(field, true)
    if (!isObject(field)) return mapUnknown(field, visit)
    return mapFields(field, visit, (inner, innerName) => {
      const isFile = name === kind && innerName === bytes?.field
      noteLink(inner, innerName === 'file_id' || (isFile && bytes?.bare === false))
      return isEncoded(inner, isFile) ? encoded(inner, isFile) : mapUnknown(inner, visit)
    })
  })
}

/** An unknown field of a part: other APIs put the base64 of files into such fields. */
const mapUnknown = (field: unknown, visit: Visit): unknown =>
  typeof field === 'string' ? mapLiteral(field, visit) : mapAny(field, visit)

/** A number from this size on may be personal data, such as a card or phone number. */
const TELLING_NUMBER = 1_000_000

function mapAny(value: unknown, visit: Visit, name?: string): unknown {
  if (typeof value === 'string') return mapText(value, name === 'arguments', visit)
  if (typeof value === 'number') return Math.abs(value) >= TELLING_NUMBER ? mapNumber(value, String(value), visit) : value
  const number = keptNumber(value)
  if (number !== undefined) return mapNumber(value, number, visit)
  if (Array.isArray(value)) {
    readNumbers(value, visit)
    return mapItems(value, (item) => mapAny(item, visit))
  }
  return isObject(value) ? mapFields(value, visit, (field, inner) => mapAny(field, visit, inner)) : value
}

/** A number as it is written, and the integers in it. If one of them is replaced, the number is. */
function mapNumber(value: unknown, written: string, visit: Visit): unknown {
  let mapped = value
  for (const text of [written, ...integersIn(written)]) {
    const read = visit.text(text)
    if (read !== text && mapped === value) mapped = read
  }
  return mapped
}

/** Digits of a card number or an IBAN. */
const DIGITS = { min: 12, max: 34 }

const isSmall = (item: number): boolean => Number.isInteger(item) && item >= 0 && item < TELLING_NUMBER
const numberOf = (item: unknown): number => (typeof item === 'number' ? item : Number(keptNumber(item)))

/** A list of small numbers may be one number in groups: it is scanned joined, and cannot be replaced. */
function readNumbers(list: readonly unknown[], visit: Visit): void {
  if (list.length < 2 || list.length > DIGITS.max) return
  const numbers = list.map(numberOf)
  if (!numbers.every(isSmall)) return
  const text = numbers.join(numbers.every((item) => item < 10) ? '' : ' ')
  const digits = text.replaceAll(' ', '').length
  if (digits < DIGITS.min || digits > DIGITS.max) return
  fixed(text, visit.text(text), 'a list of numbers')
}

function mapItems(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const mapped = items.map(map)
  return mapped.some((item, index) => item !== items[index]) ? mapped : items
}

function mapFields(fields: Fields, visit: Visit, map: (field: unknown, name: string) => unknown): Fields {
  let changes: Map<string, readonly [name: string, field: unknown]> | undefined
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    const newName = VOCABULARY.has(name) ? name : visit.text(name)
    const isWord = (name === 'type' || name === 'role') && typeof field === 'string' && VOCABULARY.has(field)
    const isSignature = isOpaque(fields, name, field)
    if (isSignature) visit.unread('other', decodedLength(field as string))
    const newField = isWord ? field : isSignature ? mapSignature(field as string, visit) : map(field, name)
    if (newName === name && newField === field) continue
    changes ??= new Map()
    changes.set(name, [newName, newField])
  }
  if (!changes) return fields
  return Object.fromEntries(Object.entries(fields).map((entry) => changes.get(entry[0]) ?? entry))
}
