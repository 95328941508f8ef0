import { type Fields, isFields } from './fields.ts'

/** Fields of a tool call with state of a provider of the chat API, for example Gemini's thought signature. */
const STATE_FIELDS = ['extra_content', 'provider_specific_fields'] as const

/** The state, which stands in the `tool_use` block so that a client that returns the block returns it (GW-ANT-10). */
export const stateOf = (call: Fields): Fields =>
  Object.fromEntries(STATE_FIELDS.filter((name) => isFields(call[name])).map((name) => [name, call[name]]))
