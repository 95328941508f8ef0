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

/** Fields whose strings are structure, checked by the request's schema, and never prose. */
const STRUCTURE = new Set(['role', 'type', 'id', 'tool_call_id', 'image_url', 'input_audio', 'file', 'detail'])

/**
 * Every string in `value` that a person or a model may have written, in a fixed order: message contents, parts, names, tool
 * arguments, and whatever stands in passed-on parameters. What goes to a provider and is not in here was checked by schema.
 */
export function collectTexts(value: unknown): string[] {
  const texts: string[] = []
  mapTexts(value, (text) => {
    texts.push(text)
    return text
  })
  return texts
}

/** The same value with its texts replaced, in the order of collectTexts. Shares what did not change. */
export function replaceTexts<T>(value: T, texts: readonly string[]): T {
  let next = 0
  return mapTexts(value, (text) => texts[next++] ?? text) as T
}

function mapTexts(value: unknown, visit: (text: string) => string): unknown {
  if (typeof value === 'string') return visit(value)
  if (typeof value !== 'object' || value === null) return value
  let changed = false
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const mapped = mapTexts(item, visit)
      changed ||= mapped !== item
      return mapped
    })
    return changed ? items : value
  }
  const copy: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(value)) {
    const mapped = STRUCTURE.has(key) ? field : mapTexts(field, visit)
    changed ||= mapped !== field
    copy[key] = mapped
  }
  return changed ? copy : value
}

const CHARACTERS_PER_TOKEN = 4
const TOKENS_PER_MESSAGE = 4

/** An estimate that costs nothing: four characters a token and a little for each message. */
export const estimateTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(text.length / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE, 0)
