import { Type } from 'typebox'
import { NAMESPACED_NAMES, type Origin } from '../../shared/original-request.ts'
import type { StoredContent } from '../../shared/stored-content.ts'
import type { DecodeContext, DecodedRequest } from '../client-dialect.ts'
import { decoded, fieldOf, RefusedField, type Sources, UnknownField } from '../client-fields.ts'
import { withoutNulls } from '../field-values.ts'
import { splitUnknown, words } from '../known-fields.ts'
import { anyObject, byType, type Fields, isObject, NOT_CARRIED, optionalText, reader, text } from './fields.ts'
import { addHistory, addInput, type Conversation } from './input.ts'
import { ITEM_FIELDS } from './known-fields.ts'
import { refuseFields } from './refused-fields.ts'
import { addTools, newToolList, readToolChoice, type ToolList, type ToolNames } from './tools.ts'

export type Decoded =
  | {
      readonly ok: true
      readonly chat: Fields
      readonly fieldOf: (param: string) => string
      readonly origins: readonly Origin[]
      readonly bodyOf: (written: Fields) => Fields
      readonly request: Fields
      readonly toolNames: ToolNames
    }
  | Extract<DecodedRequest, { readonly ok: false }>

export const WITHOUT_HISTORY: DecodeContext = { storing: 'requested', history: [] }

/** Translates a request into a body of the chat API. Each field is carried over, used here, or refused by name. */
export function decodeRequest(body: unknown, context = WITHOUT_HISTORY): Decoded {
  if (!isObject(body)) return { ok: false, problem: { param: '', message: 'must be object' } }
  const request = withoutNulls(body)
  const conversation: Conversation = { messages: [], sources: new Map(), origins: [], tools: [], namespaced: [] }
  const { sources, origins } = conversation
  const toolList = newToolList(sources)
  return decoded(() => {
    const chat = toChat(request, conversation, toolList, context)
    const bodyOf = (written: Fields) => withHistory(written, context.history)
    return { ok: true, chat, fieldOf: (param) => fieldOf(sources, param), origins, bodyOf, request, toolNames: toolList.names }
  })
}

const SAME = words(
  `model stream governance temperature top_p presence_penalty frequency_penalty metadata user service_tier safety_identifier
   prompt_cache_key prompt_cache_retention prompt_cache_options`,
)

/**
 * Fields that are translated, and after them those that need no counterpart in the chat: `refuseFields` has admitted only values that ask
 * for nothing else, there are no tools that `max_tool_calls` counts, and `client_metadata` (sent by Codex) describes the client to OpenAI.
 */
const OTHERS = words(
  `instructions previous_response_id input tools tool_choice parallel_tool_calls text reasoning max_output_tokens top_logprobs include store
   conversation prompt background truncation context_management stream_options max_tool_calls client_metadata`,
)

const KNOWN: ReadonlySet<string> = new Set([...SAME, ...OTHERS])

const SETTINGS = {
  store: Type.Optional(Type.Boolean()),
  previous_response_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  instructions: optionalText,
  stream_options: Type.Optional(
    Type.Object({ include_obfuscation: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
  ),
  // No detector reads it, so it must not be large enough to hold personal data.
  max_tool_calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  client_metadata: Type.Optional(anyObject),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
}
const readSettings = reader(SETTINGS)

const pick = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]))

const STORES_NOTHING =
  'must be false: the Application stores no responses (settings.responses.store is off); send the whole conversation in input'

function toChat(request: Fields, conversation: Conversation, toolList: ToolList, { storing, history }: DecodeContext): Fields {
  const { sources } = conversation
  refuseFields(request)
  if (request.store === true && storing === 'off') throw new RefusedField('store', STORES_NOTHING)
  const unknown = Object.keys(request).find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw new UnknownField(unknown, NOT_CARRIED)
  readSettings(pick(request, Object.keys(SETTINGS)), '')
  return {
    ...pick(request, SAME),
    messages: toMessages(request, conversation, history),
    ...toolFields(request, conversation, toolList),
    ...namespaceFields(conversation, toolList),
    ...textFields(request.text, sources),
    ...reasoningFields(request, sources),
    ...logprobFields(request, sources),
    ...tokenFields(request, sources),
  }
}

/** The instructions of earlier responses are not carried over, as in the API. */
function toMessages(
  { instructions, input }: Fields,
  conversation: Conversation,
  history: readonly StoredContent[],
): readonly Fields[] {
  const { messages, sources, origins } = conversation
  if (instructions !== undefined) {
    for (const path of ['messages[0]', 'messages[0].content']) sources.set(path, 'instructions')
    messages.push({ role: 'system', content: instructions })
    origins.push('system')
  }
  sources.set('messages', 'input')
  const items = itemsOf(history)
  addHistory(items, conversation)
  addInput(input, conversation, items.length)
  return messages
}

const itemsOf = (history: readonly StoredContent[]): readonly Fields[] =>
  // Versions before this one stored fields whose value was null, whatever their names were.
  history.flatMap(({ input, response }) => [...(splitUnknown(input, ITEM_FIELDS).body as readonly Fields[]), ...response.output])

function withHistory(written: Fields, history: readonly StoredContent[]): Fields {
  if (history.length === 0) return written
  const { input, previous_response_id: _, ...others } = written
  const own: readonly unknown[] = Array.isArray(input) ? input : [{ role: 'user', content: input }]
  return { ...others, input: [...itemsOf(history), ...own] }
}

function namespaceFields({ sources, namespaced }: Conversation, { names }: ToolList): Fields {
  const own = [...names.values()].flatMap((name) => (typeof name === 'string' ? [] : [name.namespace, name.name]))
  const all = [...new Set([...own, ...namespaced])]
  sources.set(NAMESPACED_NAMES, 'tools')
  return all.length > 0 ? { [NAMESPACED_NAMES]: all } : {}
}

/** Chat providers refuse an empty list of tools, and a choice among no tools. Both ask for nothing. */
function toolFields(
  { tools = [], tool_choice: choice, parallel_tool_calls }: Fields,
  { sources, tools: ofItems }: Conversation,
  toolList: ToolList,
): Fields {
  addTools(tools, 'tools', toolList)
  for (const { list, at, isLoaded } of ofItems) addTools(list, at, toolList, isLoaded)
  const tool_choice = choice === undefined ? undefined : readToolChoice(choice, sources)
  if (toolList.tools.length === 0)
    return tool_choice === undefined || tool_choice === 'auto' || tool_choice === 'none' ? {} : { tool_choice }
  return withoutNulls({ tools: toolList.tools, tool_choice, parallel_tool_calls })
}

const readText = reader({ format: Type.Optional(Type.Unknown()), verbosity: optionalText })
const readPlainFormat = reader({ type: text })
const strict = Type.Optional(Type.Boolean())
const readSchemaFormat = reader({ type: text, name: text, schema: anyObject, description: optionalText, strict })

const FORMATS: Readonly<Record<string, (format: unknown, at: string) => Fields>> = {
  text: (format, at) => {
    readPlainFormat(format, at)
    // The default of the chat API, which some providers do not know by name.
    return {}
  },
  json_object: (format, at) => ({ response_format: readPlainFormat(format, at) }),
  json_schema: (format, at) => {
    const { type, ...json_schema } = readSchemaFormat(format, at)
    return { response_format: { type, json_schema } }
  },
}

function textFields(value: unknown, sources: Sources): Fields {
  if (value === undefined) return {}
  const { format, verbosity } = readText(value, 'text')
  for (const path of ['response_format', 'response_format.json_schema']) sources.set(path, 'text.format')
  sources.set('verbosity', 'text.verbosity')
  return {
    ...(format !== undefined && byType(FORMATS, format, 'text.format', 'there are no others')(format, 'text.format')),
    ...(verbosity !== undefined && { verbosity }),
  }
}

const REASONING = words('effort summary generate_summary context mode')
const readReasoning = reader(Object.fromEntries(REASONING.map((name) => [name, optionalText])))

/** `reasoning_included` is for providers with this API: the chat API has no such choice, and its adapters leave it out. */
function reasoningFields({ reasoning = {}, include = [] }: Fields, sources: Sources): Fields {
  const { effort, summary, generate_summary } = readReasoning(reasoning, 'reasoning')
  sources.set('reasoning_effort', 'reasoning.effort')
  sources.set('reasoning_included', 'include')
  const hasSummary = (summary ?? generate_summary) !== undefined
  const isEncrypted = Array.isArray(include) && include.includes('reasoning.encrypted_content')
  const included = [...(hasSummary ? ['summary'] : []), ...(isEncrypted ? ['encrypted_content'] : [])]
  return {
    ...(effort !== undefined && { reasoning_effort: effort }),
    ...(included.length > 0 && { reasoning_included: included }),
  }
}

/** The chat API has `top_logprobs` only together with `logprobs`. */
function logprobFields({ include = [], top_logprobs }: Fields, sources: Sources): Fields {
  const isIncluded = Array.isArray(include) && include.includes('message.output_text.logprobs')
  const isCounted = typeof top_logprobs === 'number' && top_logprobs > 0
  sources.set('logprobs', isIncluded ? 'include' : 'top_logprobs')
  return isIncluded || isCounted ? withoutNulls({ logprobs: true, top_logprobs }) : {}
}

function tokenFields({ max_output_tokens: max_completion_tokens }: Fields, sources: Sources): Fields {
  sources.set('max_completion_tokens', 'max_output_tokens')
  return max_completion_tokens === undefined ? {} : { max_completion_tokens }
}
