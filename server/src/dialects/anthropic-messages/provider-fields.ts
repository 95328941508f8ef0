import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import type { Choice, Completion, Usage } from '../../shared/completion.ts'
import { thinkingBlocks } from './upstream-reasoning.ts'

/** Fields of a message that the gateway writes. */
const OWN: ReadonlySet<string> = new Set([
  ...['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'stop_details', 'usage', 'governance'],
  'provider_fields',
])

/**
 * The provider's fields of a completion that a message has no place for: those of the response stand beside those of the API, all others in
 * `provider_fields` by their place in the completion, as in the Responses API.
 */
export function providerFieldsOf(completion: Completion): Fields {
  const { id: _id, object: _object, created: _created, model: _model, choices, usage: _usage, ...others } = completion
  const beside = Object.entries(others).filter(([name]) => !OWN.has(name))
  const inside = Object.fromEntries(Object.entries(others).filter(([name]) => OWN.has(name)))
  const fields = filled({ response: inside, ...(choices[0] && fieldsOfChoice(choices[0])) })
  return { ...Object.fromEntries(beside), ...filled({ provider_fields: fields }) }
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
    message: filled({ ...ofMessage, reasoning_details: unplacedDetails(details), tool_calls: fieldsOfCalls(calls) }),
  }
}

/** The reasoning that became no block. */
const unplacedDetails = (details: unknown): unknown =>
  Array.isArray(details) ? details.filter((detail) => thinkingBlocks([detail]).length === 0) : details

/** For each call, the fields that a `tool_use` block has no place for; none: there are no such fields. */
function fieldsOfCalls(calls: unknown): readonly Fields[] {
  const fields = (Array.isArray(calls) ? calls : []).map(
    ({
      id: _,
      type: _type,
      function: called,
      custom,
      extra_content: _state,
      provider_specific_fields: _own,
      ...others
    }: Fields) => {
      const { name: _name, arguments: _arguments, input: _input, ...inner } = (called ?? custom ?? {}) as Fields
      return { ...others, ...inner }
    },
  )
  return fields.some((each) => Object.keys(each).length > 0) ? fields : []
}

const UNITS: ReadonlySet<string> = new Set([
  ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'prompt_tokens_details', 'completion_tokens_details'],
])

/** The provider's fields of a usage beside the units. */
export const otherUsage = (usage: Usage): Fields => Object.fromEntries(Object.entries(usage).filter(([name]) => !UNITS.has(name)))

/** The fields that have a value. */
const filled = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  )
