import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'

/** Fields of a tool call with state of a provider of the chat API, for example Gemini's thought signature. */
const STATE_FIELDS = ['extra_content', 'provider_specific_fields'] as const

/** The state, which stands in the `tool_use` block so that a client that returns the block returns it (GW-ANT-10). */
export const stateOf = (call: Fields): Fields =>
  Object.fromEntries(STATE_FIELDS.filter((name) => isObject(call[name])).map((name) => [name, call[name]]))

export function withoutState(message: Fields): Fields {
  const { content } = message
  if (!Array.isArray(content) || !content.some(hasState)) return message
  return { ...message, content: content.map((block: Fields) => (hasState(block) ? removeState(block) : block)) }
}

const hasState = (block: unknown): boolean =>
  isObject(block) && block.type === 'tool_use' && STATE_FIELDS.some((name) => Object.hasOwn(block, name))

const removeState = ({ extra_content: _, provider_specific_fields: _specific, ...block }: Fields): Fields => block
