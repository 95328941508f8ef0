import type { Completion } from '../domain/completion.ts'
import type { ChatMessage } from '../domain/message.ts'

/** A chat request for one provider. */
export interface UpstreamRequest {
  /** The provider's name of the model. */
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** Further fields of the chat API. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Number of messages that the gateway has put first. They may differ from request to request. */
  readonly addedMessages: number
}

/** A field of the request that has no equivalent in the provider's API. */
export interface Unsupported {
  readonly code: 'unsupported_parameter' | 'invalid_value' | 'invalid_messages' | 'image_invalid'
  /** The field in the form of the chat API: `messages[2].content[0].type`. */
  readonly param: string
}

export type EncodedRequest =
  | { readonly ok: true; readonly body: string }
  | { readonly ok: false; readonly unsupported: Unsupported }

/** Values that replace those of the provider. */
export interface CompletionDefaults {
  /** The model name of the request. */
  readonly model: string
  /** Creates the completion's id. The provider's id is not used, because no detector reads ids. */
  readonly newId: () => string
  /** Unix seconds, if the provider sends no valid time. */
  readonly created: () => number
}

/** An API of providers. The pipeline governs the form of the chat API; a dialect translates requests out of it and responses into it. */
export interface UpstreamDialect {
  /** The body of a request for one complete response. A field that cannot be translated is named, never left out (decision 0006). */
  encode(request: UpstreamRequest): EncodedRequest
  /** Returns undefined if the response is malformed. */
  read(body: Buffer, defaults: CompletionDefaults): Completion | undefined
  /** The failure that a response with status 200 reports. Absent: the API reports failures by their status. */
  readFailure?(body: Buffer): ReportedFailure | undefined
  /** The field of the chat API that a field in the provider's error stands for. Absent: both have the same names. */
  chatParamOf?(param: string): string | undefined
}

export interface ReportedFailure {
  /** The status with which the API reports the same failure before a response has begun. */
  readonly status: number
  /** The error in the form of that status. It may be matched against closed lists, but never shown. */
  readonly body: Buffer
}
