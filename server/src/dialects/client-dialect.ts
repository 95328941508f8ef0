import type { Completion } from '../domain/completion.ts'
import type { Origin, RequestSource } from '../domain/original-request.ts'
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

export type DecodedRequest =
  | {
      readonly ok: true
      /** The request as a body of the chat API, which the gateway validates. */
      readonly chat: unknown
      /** The client's field that a field of `chat` was made from: `messages[2].content` is `input[1].content`. */
      readonly fieldOf: (param: string) => string
      readonly encoder: ResponseEncoder
      /** The items of the client's body that the messages of `chat` were made from. */
      readonly origins: readonly Origin[]
    }
  | {
      readonly ok: false
      readonly problem: Problem
      /** What stands at `path` is not known. Without it, or with `placeholder` in its place, the body could be decoded. */
      readonly unknownField?: { readonly path: string; readonly placeholder?: unknown }
    }

/**
 * An API in which clients send chats. The pipeline governs the form of the chat API; a dialect translates requests into it and responses
 * out of it. A field that it cannot translate is refused by name.
 */
export interface ClientDialect {
  readonly name: RequestSource['dialect']
  decode(body: unknown): DecodedRequest
  /** Its messages consist of parts, so texts in parts need no extension of the Application. */
  readonly hasTextParts?: boolean
  /** The error envelope, if it is not that of the chat API. */
  readonly errorBody?: (code: ErrorCode, fields: ErrorFields, requestId: string) => object
}
