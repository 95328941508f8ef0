import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { Problem } from '../platform/lib/schema.ts'
import type { Fields } from '../platform/lib/untrusted-json.ts'
import type { Completion, CompletionHead } from '../shared/completion.ts'
import type { Origin, RequestSource } from '../shared/original-request.ts'
import type { ResponseStoring } from '../shared/principal.ts'
import type { NewStoredContent, StoredContent } from '../shared/stored-content.ts'
import type { KnownFields } from './known-fields.ts'

/** The governance block of a response (GW-GOV-2), as JSON. */
export type GovernanceBlock = Readonly<Record<string, unknown>>

export interface ResponseEncoder {
  toJson(completion: Completion, json: string, governance: GovernanceBlock): string
  toEvents(completion: Completion, governance: GovernanceBlock): Iterable<string>
  grow(head: CompletionHead, governance: GovernanceBlock): GrowingEncoder
}

/** Writes one stream whose text is sent before the completion is known. Joined, its events are those of `toEvents`. */
export interface GrowingEncoder {
  text(piece: string): string
  /** The events after the text that was sent. `completion` begins with that text. */
  rest(completion: Completion, governance: GovernanceBlock): Iterable<string>
  /** Ends the stream with an error. `envelope`: the body of the same error without a stream. */
  fail(envelope: ErrorEnvelope): string
}

/** `base`: the public URL of the server, if it is set. */
export type ErrorBody = (code: ErrorCode, fields: ErrorFields, base: string | undefined, requestId: string) => ErrorEnvelope

export interface ErrorEnvelope {
  readonly error: Readonly<Record<string, unknown>> & { readonly code: string; readonly message: string }
  readonly [field: string]: unknown
}

export interface DecodeContext {
  readonly storing: ResponseStoring
  /** The stored conversation that the request continues, oldest first. Empty: none, or it is not loaded yet. */
  readonly history: readonly StoredContent[]
}

export interface UseOfStore {
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
      /** The items of `bodyOf` that the messages of `chat` were made from. */
      readonly origins: readonly Origin[]
      /** `written` with the stored conversation that it continues, as a provider without that store gets it. Absent: as it is. */
      readonly bodyOf?: (written: Fields) => Fields
      /** Absent: the API has no stored responses. */
      readonly store?: UseOfStore
    }
  | {
      readonly ok: false
      readonly problem: Problem
      /** The value at `path` is not known. Without it, or with `placeholder` in its place, the body could be decoded. */
      readonly unknownField?: { readonly path: string; readonly placeholder?: unknown }
    }

/** An API in which clients send chats: it translates requests into the form of the chat API, which is governed, and responses out of it. */
export interface ClientDialect {
  readonly name: RequestSource['dialect']
  readonly known: KnownFields
  decode(body: unknown, context?: DecodeContext): DecodedRequest
  /** Its messages consist of parts, so texts in parts need no extension of the Application. */
  readonly hasTextParts?: boolean
  /** Absent: that of the chat API. */
  readonly errorBody?: ErrorBody
}
