import type { UpstreamRequest } from '../dialects/upstream-dialect.ts'
import type { Completion } from '../domain/completion.ts'
import type { Clock } from '../lib/clock.ts'
import { type HttpFailure, sendHttpRequest } from '../lib/http-request.ts'
import type { Endpoint } from './connection-pools.ts'
import { type Rejection, readRejection } from './rejection.ts'

/** A chat request after the transforms of policies. `model`: the name that the client used. The completion has the same name. */
export type ProviderRequest = UpstreamRequest

export interface UpstreamFailure extends Omit<HttpFailure, 'body' | 'failure'> {
  /** `unsupported`: the provider's API has no equivalent of a field. Nothing was sent. */
  readonly failure: HttpFailure['failure'] | 'unsupported'
  /** The meaning of an error status; undefined for an outage. */
  readonly rejection?: Rejection
}

export type UpstreamResult = { readonly ok: true; readonly status: number; readonly completion: Completion } | UpstreamFailure

export interface AttemptLimits {
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

interface UpstreamCall {
  /** Path and query. */
  readonly path: string
  readonly body: string
  /** The name of the model that the client used. */
  readonly model: string
}

/** Makes one attempt at a provider. A failure is a value, without any text of the provider. */
export async function requestCompletion(
  endpoint: Endpoint,
  { model, ...call }: UpstreamCall,
  limits: AttemptLimits,
  deps: AdapterDeps,
): Promise<UpstreamResult> {
  const maxBytes = deps.maxResponseBytes ?? MAX_RESPONSE_BYTES
  const response = await sendUpstream(endpoint, { ...call, maxBytes }, limits, deps)
  if (!response.ok) return response
  const completion = endpoint.adapter.dialect.read(response.body, {
    model,
    newId: () => deps.newId('chatcmpl'),
    created: () => Math.floor(deps.clock.now().getTime() / 1_000),
  })
  return completion
    ? { ok: true, status: response.status, completion }
    : { ok: false, failure: 'malformed', status: response.status }
}

interface SentRequest {
  readonly path: string
  readonly body: string
  /** Of the response. */
  readonly maxBytes: number
}

/** Sends one request to a provider and reads the meaning of an error response. */
export async function sendUpstream(
  { dispatcher, headers }: Endpoint,
  request: SentRequest,
  { timeoutMs, idleMs = timeoutMs, signal }: AttemptLimits,
  { clock }: Pick<AdapterDeps, 'clock'>,
): Promise<{ readonly ok: true; readonly status: number; readonly body: Buffer } | UpstreamFailure> {
  const now = () => clock.now().getTime()
  const limits = { timeoutMs, idleMs, signal, keepsErrorBody: true }
  const response = await sendHttpRequest(dispatcher, { method: 'POST', headers, now, ...request, ...limits })
  if (response.ok) return response
  const { body: _, ...failure } = response
  const rejection = readRejection(response)
  return rejection ? { ...failure, rejection } : failure
}
