import type { Fields } from '../platform/lib/untrusted-json.ts'
import type { Completion } from '../shared/completion.ts'
import type { ChatMessage } from '../shared/message.ts'
import type { OriginalRequest } from '../shared/original-request.ts'
import type { AddedTexts } from './added-texts.ts'

export interface UpstreamRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly parameters: Readonly<Record<string, unknown>>
  readonly added?: AddedTexts
  /** Absent: the gateway itself asks. */
  readonly original?: OriginalRequest | undefined
  readonly stream: boolean
}

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

export interface CompletionDefaults {
  readonly model: string
  /** The provider’s id is not used, because no detector reads ids. */
  readonly newId: (prefix: 'chatcmpl' | 'call') => string
  /** Unix seconds, if the provider sends no valid time. */
  readonly created: () => number
}

/** `nothing`: the event only keeps the connection alive. `error`: the provider reports one. */
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

/** An API of providers: it translates requests out of the form of the chat API, which is governed, and responses into it. */
export interface UpstreamDialect {
  /** The body of a request for one response. A field that cannot be translated is named, never left out (decision 0006). */
  encode(request: UpstreamRequest): EncodedRequest
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
