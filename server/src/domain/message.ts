import { readable, rewritten } from './json-text.ts'
import { isOpaque } from './opaque.ts'
import { VOCABULARY } from './vocabulary.ts'

/**
 * One chat message as the gateway carries it. By default `role` is system, user or assistant and `content` a string
 * (gateway-api.md, ChatMessage); an Application's `extensions` open content parts, tools and the developer role.
 * Fields that the gateway does not know travel along untouched.
 */
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

/**
 * Every string in `value` that a person or a model may have written, in a fixed order: message contents, parts, ids, tool
 * arguments, whatever stands in passed-on parameters, and the names of fields that are not the API's own. What goes to a
 * provider and is not in here is the API's vocabulary, was checked by schema, or is the bytes of a picture, sound or file.
 * A text that is JSON shows its strings decoded (json-text.ts), or an escape would hide a word.
 *
 * An array counts as messages, an object as parameters.
 */
export function collectTexts(value: unknown): string[] {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** The same value with its texts replaced, in the order of collectTexts. Shares what did not change; what was JSON stays JSON. */
export function replaceTexts<T>(value: T, texts: readonly string[]): T {
  let next = 0
  return mapTexts(value, (text) => texts[next++] ?? text) as T
}

/** Numbers whose schema leaves no room for anybody's. */
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

type Visit = (text: string) => string

function mapTexts(value: unknown, visit: Visit): unknown {
  if (Array.isArray(value)) return mapItems(value, (message) => mapMessage(message, visit))
  if (!isObject(value)) return mapAny(value, visit)
  const isSetting = (name: string, field: unknown) => (typeof field === 'number' && BOUNDED.has(name)) || name === 'logit_bias'
  return mapFields(value, visit, (field, name) => (isSetting(name, field) ? field : mapAny(field, visit)))
}

const mapMessage = (message: unknown, visit: Visit): unknown =>
  isObject(message)
    ? mapFields(message, visit, (field, name) =>
        name === 'content' && Array.isArray(field) ? mapItems(field, (part) => mapPart(part, visit)) : mapAny(field, visit, name),
      )
    : mapAny(message, visit)

/** Where a content part of that type has its bytes. */
const BYTES: Readonly<Record<string, string>> = { image_url: 'url', input_audio: 'data', file: 'file_data' }
/** Long enough to be bytes and not a key or a word. */
const BASE64 = /^(?:data:[\w.+-]{1,64}\/[\w.+-]{1,64};base64,)?[A-Za-z0-9+/]{200,}={0,2}$/

function mapPart(part: unknown, visit: Visit): unknown {
  if (!isObject(part)) return mapAny(part, visit)
  return mapFields(part, visit, (field, kind) =>
    part.type === kind && isObject(field)
      ? mapFields(field, visit, (inner, name) =>
          name === BYTES[kind] && typeof inner === 'string' && BASE64.test(inner) ? inner : mapAny(inner, visit),
        )
      : mapAny(field, visit),
  )
}

/** A number of that many digits may be anybody's: a card's, a phone's. */
const TELLING_NUMBER = 1_000_000

function mapAny(value: unknown, visit: Visit, name?: string): unknown {
  if (typeof value === 'string') return mapText(value, visit, name === 'arguments')
  if (typeof value === 'number' && Math.abs(value) >= TELLING_NUMBER) {
    const text = String(value)
    const mapped = visit(text)
    return mapped === text ? value : mapped
  }
  if (Array.isArray(value)) return mapItems(value, (item) => mapAny(item, visit))
  return isObject(value) ? mapFields(value, visit, (field, inner) => mapAny(field, visit, inner)) : value
}

function mapText(text: string, visit: Visit, isArguments: boolean): string {
  const shown = readable(text, isArguments)
  const mapped = visit(shown)
  return mapped === shown ? text : rewritten(text, mapped, isArguments)
}

function mapItems(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const mapped = items.map(map)
  return mapped.some((item, index) => item !== items[index]) ? mapped : items
}

function mapFields(fields: Fields, visit: Visit, map: (field: unknown, name: string) => unknown): Fields {
  let changed = false
  const copy: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const newName = VOCABULARY.has(name) ? name : visit(name)
    const isWord = (name === 'type' || name === 'role') && typeof field === 'string' && VOCABULARY.has(field)
    const newField = isWord || isOpaque(fields, name, field) ? field : map(field, name)
    changed ||= newName !== name || newField !== field
    copy[newName] = newField
  }
  return changed ? copy : fields
}

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const CHARACTERS_PER_TOKEN = 4
const TOKENS_PER_MESSAGE = 4

/** A request as far as a provider reads it. */
interface Read {
  readonly messages: readonly ChatMessage[]
  readonly parameters: Readonly<Record<string, unknown>>
}

/** As estimateTokens, of a whole request: tools and schemas among its parameters are read as the JSON that they are. */
export const estimateRequestTokens = ({ messages, parameters }: Read): number =>
  Object.values(parameters).reduce<number>(
    (sum, value) =>
      typeof value === 'string' || isObject(value) || Array.isArray(value)
        ? sum + Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN)
        : sum,
    estimateTokens(collectTexts(messages)),
  )

/** An estimate that costs nothing: four characters a token and a little for each message. */
export const estimateTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(text.length / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE, 0)
