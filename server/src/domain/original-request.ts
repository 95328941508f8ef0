import type { Fields } from '../lib/untrusted-json.ts'
import type { ChatMessage } from './message.ts'

/** The request of a client in its own API, before it was translated into the form of the chat API. */
export interface RequestSource {
  readonly dialect: 'openai-chat' | 'openai-responses' | 'anthropic-messages'
  /** The body as it was received; numbers are as the client wrote them (lib/json.ts). */
  readonly body: Fields
  /** For each message of the chat form: the items of `body` that it was made from. */
  readonly origins: readonly Origin[]
}

/** Indices of items in the list of messages: from `from` up to and including `to`. `system`: the system prompt beside that list. */
export type Origin = { readonly from: number; readonly to: number } | 'system'

/**
 * A source with the chat form that it was translated into. What policies did not change is the same object or value in the request that
 * goes to a provider, so a provider of the same API gets the client's own JSON with only their changes.
 */
export interface OriginalRequest extends RequestSource {
  readonly messages: readonly ChatMessage[]
  readonly parameters: Fields
}
