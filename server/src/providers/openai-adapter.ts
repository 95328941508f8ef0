import type { Completion } from '../domain/completion.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { Clock } from '../lib/clock.ts'
import { type HttpFailure, sendHttpRequest } from '../lib/http-request.ts'
import type { Endpoint } from './connection-pools.ts'
import type { ProviderModel } from './provider.ts'
import { readCompletion } from './read-completion.ts'
import { type Rejection, readRejection } from './rejection.ts'

/** A chat request as policies have left it. */
export interface ProviderRequest {
  /** As the caller named it; the answer shows this name. */
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** OpenAI fields that are passed on; those that are the gateway's own (model, messages, stream …) are replaced or left out. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface UpstreamFailure extends Omit<HttpFailure, 'body'> {
  /** What an error status is about, where it is not an outage. */
  readonly rejection?: Rejection
}

export type UpstreamResult = { readonly ok: true; readonly status: number; readonly completion: Completion } | UpstreamFailure

interface AttemptLimits {
  /** For the whole call. */
  readonly timeoutMs: number
  /** Without a byte, up to the headers and between bytes of the body. */
  readonly idleMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface AdapterDeps {
  readonly clock: Clock
  /** A fresh id with that prefix. */
  readonly newId: (prefix: string) => string
  /** Largest answer of a provider, in bytes; 8 MiB by default. */
  readonly maxResponseBytes?: number
}

const MAX_ANSWER_BYTES = 8 * 1_048_576

/** The body for one provider; the same for every attempt at it. The gateway validates before it streams, so it asks for no stream. */
export const requestBody = ({ messages, parameters }: ProviderRequest, model: ProviderModel): string =>
  JSON.stringify({
    ...parameters,
    stream_options: undefined,
    governance: undefined,
    model: model.upstreamName ?? model.id,
    messages,
    stream: false,
  })

/** Asks an OpenAI-compatible provider once. Any failure is a value; of what the provider wrote about it, only words of closed lists remain. */
export async function requestCompletion(
  endpoint: Endpoint,
  body: string,
  model: string,
  { timeoutMs, idleMs = timeoutMs, signal }: AttemptLimits,
  deps: AdapterDeps,
): Promise<UpstreamResult> {
  const now = () => deps.clock.now().getTime()
  const { dispatcher, headers, chatPath: path } = endpoint
  const maxBytes = deps.maxResponseBytes ?? MAX_ANSWER_BYTES
  const limits = { timeoutMs, idleMs, maxBytes, signal, keepsErrorBody: true }
  const answer = await sendHttpRequest(dispatcher, { method: 'POST', path, headers, body, now, ...limits })
  if (!answer.ok) {
    const { body: _, ...failure } = answer
    const rejection = readRejection(answer)
    return rejection ? { ...failure, rejection } : failure
  }
  const completion = readCompletion(answer.body, {
    model,
    newId: () => deps.newId('chatcmpl'),
    created: () => Math.floor(now() / 1_000),
  })
  return completion ? { ok: true, status: answer.status, completion } : { ok: false, failure: 'malformed', status: answer.status }
}
