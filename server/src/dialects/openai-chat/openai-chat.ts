import type { Problem } from '../../platform/lib/schema.ts'
import { isSet } from '../../platform/lib/untrusted-json.ts'
import { type Origin, OWN_PARAMETERS } from '../../shared/original-request.ts'
import type { ClientDialect, DecodedRequest, ResponseEncoder } from '../client-dialect.ts'
import { chatChunks, growingChunks } from './chunks.ts'
import { CHAT_FIELDS } from './known-fields.ts'

const encoder = (includeUsage: boolean): ResponseEncoder => ({
  toJson: (_completion, json, governance) => `${json.slice(0, -1)},"governance":${JSON.stringify(governance)}}`,
  toEvents: (completion, governance) => chatChunks(completion, { includeUsage, governance: JSON.stringify(governance) }),
  grow: (head, governance) => growingChunks(head, { includeUsage, governance: JSON.stringify(governance) }),
})

const asFields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const originsOf = (messages: unknown): readonly Origin[] =>
  (Array.isArray(messages) ? messages : []).map((_, index) => ({ from: index, to: index }))

/**
 * A field that would disappear: it has the name of a parameter that the gateway sets, or is an option of the provider's stream. The gateway
 * writes the stream itself, so a provider gets no options for it.
 */
function lostField(body: Readonly<Record<string, unknown>>): Problem | undefined {
  const own = OWN_PARAMETERS.find((name) => body[name] !== undefined)
  if (own !== undefined) return { param: own, message: 'is not supported: the gateway uses this name itself; leave it out' }
  const options = Object.entries(asFields(body.stream_options))
  const option = options.find(([name, value]) => name !== 'include_usage' && isSet(value) && value !== false)
  return option && { param: `stream_options.${option[0]}`, message: 'is not supported: the gateway writes the stream itself' }
}

function decode(value: unknown): DecodedRequest {
  const body = asFields(value)
  const problem = lostField(body)
  if (problem) return { ok: false, problem }
  return {
    ok: true,
    chat: value,
    fieldOf: (param) => param,
    encoder: encoder(asFields(body.stream_options).include_usage === true),
    origins: originsOf(body.messages),
  }
}

/** The chat completions API: https://platform.openai.com/docs/api-reference/chat. */
export const openaiChat: ClientDialect = { name: 'openai-chat', known: CHAT_FIELDS, decode }
