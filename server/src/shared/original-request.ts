import type { Fields } from '../platform/lib/untrusted-json.ts'
import type { ChatMessage } from './message.ts'

/** The request of a client in its own API, before it was translated into the form of the chat API. */
export interface RequestSource {
  readonly dialect: 'openai-chat' | 'openai-responses' | 'anthropic-messages'
  /** The body as it was received; numbers are as the client wrote them (platform/lib/json.ts). */
  readonly body: Fields
  /** For each message of the chat form: the items of `body` that it was made from. */
  readonly origins: readonly Origin[]
  /** Paths of the client's fields that the gateway does not know. */
  readonly unknown: readonly string[]
  /** Paths of those that stand in the parameter CARRIED_FIELDS, because the chat form has no place for them. */
  readonly carried: readonly string[]
  /** Messages API: the names in the client's header `anthropic-beta`. */
  readonly betas?: readonly string[]
}

const NOT_SENT: ReadonlySet<string> = new Set(['governance', 'model', 'stream', 'stream_options'])
const NOT_SENT_IN_RESPONSES: ReadonlySet<string> = new Set(['store', 'previous_response_id', 'client_metadata'])

export const sentFields = ({ dialect, body, betas = [] }: RequestSource): Fields => ({
  betas,
  body: Object.fromEntries(
    Object.entries(body).filter(
      ([name]) => !NOT_SENT.has(name) && !(dialect === 'openai-responses' && NOT_SENT_IN_RESPONSES.has(name)),
    ),
  ),
})

/** A parameter of the chat form: a list with an object for each unknown field, so that detectors read its name as a word by itself. */
export const CARRIED_FIELDS = 'carried_fields'

/** Names of namespaces and of their tools: in `a__b` a detector may not find what it finds in `b`. Adapters omit the parameter. */
export const NAMESPACED_NAMES = 'namespaced_names'

/** Continues a sentence that begins with the path of the field. */
export const UNKNOWN_FIELD = 'is not a field that the gateway knows'

/** Parameters that only the gateway sets. `reasoning_included`: the kinds of reasoning that a client of the Responses API asks for. */
export const OWN_PARAMETERS: readonly string[] = [CARRIED_FIELDS, NAMESPACED_NAMES, 'reasoning_included']

/** Indices of items in the list of messages: from `from` up to and including `to`. `system`: the system prompt outside that list. */
export type Origin = { readonly from: number; readonly to: number } | 'system'

/** A value that no policy changed is the same object in the request to a provider, which then gets the client's own JSON. */
export interface OriginalRequest extends RequestSource {
  readonly messages: readonly ChatMessage[]
  readonly parameters: Fields
}
