import type { Fields } from '../platform/lib/untrusted-json.ts'
import type { Completion } from '../shared/completion.ts'
import type { ChatMessage } from '../shared/message.ts'
import type { OriginalRequest } from '../shared/original-request.ts'
import type { AddedTexts } from './added-texts.ts'

/** A chat request for one provider. */
export interface UpstreamRequest {
  /** The provider's name of the model. */
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** Further fields of the chat API. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Texts that the gateway adds to the messages. */
  readonly added?: AddedTexts
  /** The request of the client; absent for a request of the gateway itself. */
  readonly original?: OriginalRequest | undefined
  /** Whether the provider sends the response in pieces. */
  readonly stream: boolean
}

/** A field of the request that has no equivalent in the provider's API. */
export interface Unsupported {
  readonly code: 'unsupported_parameter' | 'invalid_value' | 'invalid_messages' | 'image_invalid'
  /** The field in the form of the chat API: `messages[2].content[0].type`. */
  readonly param: string
}

export interface EncodedBody {
  readonly ok: true
  readonly body: string
  /** Headers of this request by their names; their values are appended to those of the provider's declaration. */
  readonly headers?: Readonly<Record<string, string>>
}

export type EncodedRequest = EncodedBody | { readonly ok: false; readonly unsupported: Unsupported }

/** Values that replace those of the provider. */
export interface CompletionDefaults {
  /** The model name of the request. */
  readonly model: string
  /** Creates the id of the completion, or of a call without one. The provider's id is not used, because no detector reads ids. */
  readonly newId: (prefix: 'chatcmpl' | 'call') => string
  /** Unix seconds, if the provider sends no valid time. */
  readonly created: () => number
}

/**
 * The meaning of an event of a stream: `content`, `nothing` (it only keeps the connection alive), the end of the stream, or an error that
 * the provider reports.
 */
export type StreamEffect = 'content' | 'nothing' | 'done' | 'error'

/** Collects the events of one streamed response into the object that the API sends without a stream, so that `read` validates both. */
export interface StreamCollector {
  /** Bytes of content so far, without the framing that each event repeats. */
  readonly bytes: number
  /** The text of the response so far; undefined: it has more than one text, or content that is no text. */
  readonly text: string | undefined
  /** Whether numbers of the event may reach the client, so that they have to stay as they were written. False for most events: it costs time. */
  hasOwnNumbers(event: Fields): boolean
  /** `length`: characters of the event's JSON. Throws MalformedStream if the event does not fit those before it. */
  add(event: Fields, length: number): StreamEffect
  /** undefined: the stream ended before the response was complete. */
  finish(): Fields | undefined
}

/** An API of providers. The pipeline governs the form of the chat API; a dialect translates requests out of it and responses into it. */
export interface UpstreamDialect {
  /** The body of a request for one response. A field that cannot be translated is named, never left out (decision 0006). */
  encode(request: UpstreamRequest): EncodedRequest
  /** A new collector for the response to a streamed request. */
  collect(): StreamCollector
  /** Returns undefined if the response is malformed. */
  read(response: Fields, defaults: CompletionDefaults): Completion | undefined
  /** The failure that a response with status 200 reports. Absent: the API reports failures by their status. */
  readFailure?(response: Fields): ReportedFailure | undefined
  /** The field of the chat API that a field in the provider's error stands for. Absent: both have the same names. */
  chatParamOf?(param: string): string | undefined
}

export interface ReportedFailure {
  /** The status with which the API reports the same failure before a response has begun. */
  readonly status: number
  /** The error in the form of that status. It may be matched against closed lists, but never shown. */
  readonly body: Buffer
  /** Whether the model had begun to respond, so that the provider may charge for it. */
  readonly hasOutput: boolean
}
