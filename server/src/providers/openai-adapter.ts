import type { Completion } from '../domain/completion.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { Clock } from '../lib/clock.ts'
import { type HttpFailure, sendHttpRequest } from '../lib/http-request.ts'
import type { Endpoint } from './connection-pools.ts'
import type { ProviderModel } from './provider.ts'
import { readCompletion } from './read-completion.ts'
import { type Rejection, readRejection } from './rejection.ts'

/** A chat request after the transforms of policies. */
export interface ProviderRequest {
  /** The name that the client used. The completion has the same name. */
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** Further fields of the OpenAI API. Fields that the gateway sets (model, messages, stream …) are ignored. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface UpstreamFailure extends Omit<HttpFailure, 'body'> {
  /** The meaning of an error status; undefined for an outage. */
  readonly rejection?: Rejection
}

export type UpstreamResult = { readonly ok: true; readonly status: number; readonly completion: Completion } | UpstreamFailure

interface AttemptLimits {
  /** For the whole attempt, milliseconds. */
  readonly timeoutMs: number
  /** Without a byte, until the headers and between bytes of the body. Default: `timeoutMs`. */
  readonly idleMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface AdapterDeps {
  readonly clock: Clock
  /** Creates an id with this prefix. */
  readonly newId: (prefix: string) => string
  /** Maximum size of a response in bytes. Default: 8 MiB. */
  readonly maxResponseBytes?: number
}

const MAX_RESPONSE_BYTES = 8 * 1_048_576

/** The body for all attempts at one provider. It requests no stream, because the gateway validates complete responses. */
export const requestBody = ({ messages, parameters }: ProviderRequest, model: ProviderModel): string =>
  JSON.stringify({
    ...parameters,
    stream_options: undefined,
    governance: undefined,
    model: model.upstreamName ?? model.id,
    messages,
    stream: false,
  })

/** Makes one attempt at an OpenAI-compatible provider. A failure is a value, without any text of the provider. */
export async function requestCompletion(
  endpoint: Endpoint,
  body: string,
  model: string,
  { timeoutMs, idleMs = timeoutMs, signal }: AttemptLimits,
  deps: AdapterDeps,
): Promise<UpstreamResult> {
  const now = () => deps.clock.now().getTime()
  const { dispatcher, headers, chatPath: path } = endpoint
  const maxBytes = deps.maxResponseBytes ?? MAX_RESPONSE_BYTES
  const limits = { timeoutMs, idleMs, maxBytes, signal, keepsErrorBody: true }
  const response = await sendHttpRequest(dispatcher, { method: 'POST', path, headers, body, now, ...limits })
  if (!response.ok) {
    const { body: _, ...failure } = response
    const rejection = readRejection(response)
    return rejection ? { ...failure, rejection } : failure
  }
  const completion = readCompletion(response.body, {
    model,
    newId: () => deps.newId('chatcmpl'),
    created: () => Math.floor(now() / 1_000),
  })
  return completion
    ? { ok: true, status: response.status, completion }
    : { ok: false, failure: 'malformed', status: response.status }
}
