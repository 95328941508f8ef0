import type { Completion } from '../domain/completion.ts'
import type { ResponseStoring } from '../domain/principal.ts'
import type { NewStoredContent, StoredContent } from '../domain/stored-content.ts'
import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { Problem } from '../lib/schema.ts'

/** The governance block of a response (GW-GOV-2), as JSON. */
export type GovernanceBlock = Readonly<Record<string, unknown>>

/** Writes responses to one request. */
export interface ResponseEncoder {
  /** The response as JSON text. `json` is the completion as JSON, the text whose hash the record holds. */
  toJson(completion: Completion, json: string, governance: GovernanceBlock): string
  /** The events of the response's stream, as text. */
  toEvents(completion: Completion, governance: GovernanceBlock): Iterable<string>
}

/** What a dialect with stored responses needs to decode a request. */
export interface DecodeContext {
  /** Which responses the Application stores. */
  readonly storing: ResponseStoring
  /** The stored conversation that the request continues, oldest first. Empty: none, or it is not loaded yet. */
  readonly history: readonly StoredContent[]
}

/** How a request uses stored responses. */
export interface UseOfStore {
  /** The stored response that the request continues, as the client sent it. */
  readonly previousId: string | undefined
  /** Undefined: the response is not stored. */
  readonly toStored: ((completion: Completion, governance: GovernanceBlock) => NewStoredContent) | undefined
}

export type DecodedRequest =
  | {
      readonly ok: true
      /** The request as a body of the chat API, which the gateway validates. */
      readonly chat: unknown
      /** The client's field that a field of `chat` was made from: `messages[2].content` is `input[1].content`. */
      readonly fieldOf: (param: string) => string
      readonly encoder: ResponseEncoder
      /** Absent: the API has no stored responses. */
      readonly store?: UseOfStore
    }
  | { readonly ok: false; readonly problem: Problem }

/**
 * An API in which clients send chats. The pipeline governs the form of the chat API; a dialect translates requests into it and responses
 * out of it. A field that it cannot translate is refused by name.
 */
export interface ClientDialect {
  readonly name: 'openai-chat' | 'openai-responses' | 'anthropic-messages'
  decode(body: unknown, context?: DecodeContext): DecodedRequest
  /** Its messages consist of parts, so texts in parts need no extension of the Application. */
  readonly hasTextParts?: boolean
  /** The error envelope, if it is not that of the chat API. */
  readonly errorBody?: (code: ErrorCode, fields: ErrorFields, requestId: string) => object
}
