import { type Fields, isObject, parseJsonObject, readExtraFields, textOf } from '../../platform/lib/untrusted-json.ts'
import type { Choice, Completion, Usage } from '../../shared/completion.ts'
import { parseFree } from '../../shared/free-json.ts'
import { NO_USAGE, tokenUnitsOf } from '../../shared/usage.ts'
import type { GovernanceBlock } from '../client-dialect.ts'
import { ownFieldsOfCalls, without } from '../field-values.ts'
import { words } from '../known-fields.ts'
import { containsText } from '../reasoning-position.ts'
import { stateOf } from './provider-state.ts'
import { thinkingBlocks } from './upstream-reasoning.ts'

const STOP_REASONS: Readonly<Record<string, string>> = {
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

/** A content block, with the JSON text of a tool's input as the provider wrote it. */
export interface Block {
  readonly block: Fields
  readonly inputJson?: string
}

export const messageHead = (
  { id, model, usage }: Pick<Completion, 'id' | 'model' | 'usage'>,
  governance: GovernanceBlock,
): Fields => ({
  id: id.replace(/^chatcmpl/, 'msg'),
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: usageOf(usage),
  governance,
})

export function encodeMessage(completion: Completion, governance: GovernanceBlock): Fields {
  return {
    ...providerFieldsOf(completion),
    ...messageHead(completion, governance),
    content: blocksOf(completion).map(({ block }) => block),
    ...stopOf(completion),
  }
}

/** vLLM and the upstream dialect of this API report the stop sequence that was found in `choice.stop_reason`. */
export function stopOf({ choices: [choice] }: Completion): Fields {
  const sequence = choice?.finish_reason === 'stop' && typeof choice.stop_reason === 'string' ? choice.stop_reason : null
  const calls = choice?.message.tool_calls
  // Some servers say `stop` after a call, and a client of this API would then not call the tool.
  const otherwise = Array.isArray(calls) && calls.length > 0 ? 'tool_use' : 'end_turn'
  const reason = choice?.message.refusal ? 'refusal' : (STOP_REASONS[choice?.finish_reason ?? ''] ?? otherwise)
  const details = choice?.stop_details
  return {
    stop_reason: sequence === null ? reason : 'stop_sequence',
    stop_sequence: sequence,
    ...(isObject(details) && { stop_details: details }),
  }
}

/** Thinking, text and tool calls of the first choice, because the API has one. Signed thinking stands where its provider had it. */
export function blocksOf({ choices }: Completion): readonly Block[] {
  const [choice] = choices
  if (!choice) return []
  const { message, stop_details: details } = choice
  // A provider of this API explains a refusal in its stop details, which the client gets.
  const refusal = isObject(details) && details.explanation === message.refusal ? '' : message.refusal
  const text = [message.content, refusal].filter((value) => typeof value === 'string').join('')
  const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []).map(toolUse)
  const blocks = unsignedThinking(message)
  let [characters, called] = [0, 0]
  for (const placed of thinkingBlocks(message.reasoning_details)) {
    blocks.push(...textBlocks(text.slice(characters, placed.characters)), ...calls.slice(called, placed.calls), {
      block: placed.block,
    })
    characters = Math.max(characters, placed.characters)
    called = Math.max(called, placed.calls)
  }
  return [...blocks, ...textBlocks(text.slice(characters)), ...calls.slice(called)]
}

const textBlocks = (text: string): readonly Block[] => (text === '' ? [] : [{ block: { type: 'text', text } }])

/** Without a signature clients show reasoning, and a provider that signs does not get it back. Redacted blocks have no text. */
function unsignedThinking({ reasoning_content: content, reasoning, reasoning_details: details }: Choice['message']): Block[] {
  const signed = thinkingBlocks(details).map(({ block }) => textOf(block.thinking))
  const texts = [...new Set([content, reasoning].map(textOf))].filter((text) => text !== '' && !containsText(signed, text))
  return texts.map((thinking) => ({ block: { type: 'thinking', thinking, signature: '' } }))
}

function toolUse(call: Fields): Block {
  const custom = isObject(call.custom) ? call.custom : undefined
  const called = custom ?? (isObject(call.function) ? call.function : {})
  const inputJson = custom ? JSON.stringify({ input: custom.input }) : String(called.arguments || '{}')
  return { block: { type: 'tool_use', id: call.id, name: called.name, input: inputOf(inputJson), ...stateOf(call) }, inputJson }
}

/** Text that is not a JSON object stands in the field that the API's documentation names for it. */
function inputOf(json: string): Fields {
  const value = parseJsonObject(Buffer.from(json), parseFree)
  // Deep nesting would overflow the stack when the response is serialised.
  return (value && readExtraFields(value, [])) ?? { INVALID_JSON: json }
}

/** `input_tokens` excludes cached tokens in this API and includes them in the chat API. `cache_creation` is null if the provider reports no lifetimes. */
export function usageOf(usage: Usage = NO_USAGE): Fields {
  const { input, cacheRead, cacheWrite, cacheWrite1h, output, reasoning } = tokenUnitsOf(usage)
  return {
    ...without(usage, UNITS),
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation:
      cacheWrite1h === undefined
        ? null
        : { ephemeral_5m_input_tokens: cacheWrite - cacheWrite1h, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: output ?? 0,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
  }
}

const OWN: ReadonlySet<string> = new Set(
  words('id type role model content stop_reason stop_sequence stop_details usage governance provider_fields'),
)

/** Unknown fields of the response stay at its top level. Those that the API has too, and those of a choice, go into `provider_fields`. */
export function providerFieldsOf(completion: Completion): Fields {
  const { id: _id, object: _object, created: _created, model: _model, choices, usage: _usage, ...others } = completion
  const topLevel = Object.fromEntries(Object.entries(others).filter(([name]) => !OWN.has(name)))
  const inside = Object.fromEntries(Object.entries(others).filter(([name]) => OWN.has(name)))
  const fields = filled({ response: inside, ...(choices[0] && fieldsOfChoice(choices[0])) })
  return { ...topLevel, ...filled({ provider_fields: fields }) }
}

function fieldsOfChoice({ index: _, message, finish_reason: _reason, stop_reason, stop_details, ...others }: Choice): Fields {
  const { role: _role, content: _content, refusal: _refusal, tool_calls: calls, ...rest } = message
  const { reasoning_content: _reasoning, reasoning: _same, reasoning_details: details, ...ofMessage } = rest
  return {
    choice: filled({
      ...others,
      // The reason of a server such as vLLM may be a number, and details may be a text.
      ...(typeof stop_reason !== 'string' && { stop_reason }),
      ...(!isObject(stop_details) && { stop_details }),
    }),
    message: filled({ ...ofMessage, reasoning_details: unplacedDetails(details), tool_calls: ownFieldsOfCalls(calls) }),
  }
}

const unplacedDetails = (details: unknown): unknown =>
  Array.isArray(details) ? details.filter((detail) => thinkingBlocks([detail]).length === 0) : details

const UNITS = words('prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details')

const filled = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  )
