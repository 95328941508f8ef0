import type { Dispatcher } from 'undici'
import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import { type HttpFailure, type HttpRequest, type HttpResponse, sendHttpRequest } from '../../platform/lib/http-request.ts'
import type { Authorize } from './access-tokens.ts'
import { type Rejection, readRejection } from './rejection.ts'

export interface Target {
  readonly dispatcher: Dispatcher
  readonly headers: readonly string[]
  readonly authorize: Authorize | undefined
}

/** Sends a request with the target's headers and authorization. The time limit covers both. A failure is a value. */
export async function sendToProvider(
  { dispatcher, headers, authorize }: Target,
  request: Omit<HttpRequest, 'headers'>,
): Promise<HttpResponse | HttpFailure> {
  if (!authorize) return sendHttpRequest(dispatcher, { ...request, headers })
  const startedAt = elapsed()
  const authorized = await authorize({ ...request, headers })
  if (!authorized.ok) return authorized
  const timeoutMs = Math.max(1, request.timeoutMs - (elapsed() - startedAt))
  return sendHttpRequest(dispatcher, { ...request, headers: authorized.headers, timeoutMs })
}

export interface UpstreamFailure extends Omit<HttpFailure, 'body' | 'failure'> {
  /** `unsupported`: the provider's API has no equivalent of a field. Nothing was sent. */
  readonly failure: HttpFailure['failure'] | 'unsupported'
  /** Whether the provider reported an error after the response had begun. */
  readonly hasBegun?: boolean
  /** The meaning of an error status; undefined for an outage. */
  readonly rejection?: Rejection
}

export interface AttemptLimits {
  readonly timeoutMs: number
  /** Without a byte, until the headers and between bytes of the body or events of a stream. Default: `timeoutMs`. */
  readonly idleMs?: number
  readonly signal?: AbortSignal | undefined
  readonly onChunk?: () => void
  /** Gets a failure with the provider's error, which may be matched against closed lists, but never shown. */
  readonly onFailure?: (failure: HttpFailure) => void
}

export async function sendAttempt(
  target: Target,
  request: Pick<HttpRequest, 'path' | 'maxBytes' | 'stream'> & { readonly body: string },
  { timeoutMs, idleMs = timeoutMs, signal, onFailure }: AttemptLimits,
  { clock }: { readonly clock: Clock },
): Promise<HttpResponse | UpstreamFailure> {
  const now = () => clock.now().getTime()
  const limits = { timeoutMs, idleMs, signal, keepsErrorBody: true }
  const response = await sendToProvider(target, { method: 'POST', now, ...request, ...limits })
  if (response.ok) return response
  onFailure?.(response)
  const { body: _, ...failure } = response
  return withRejection(failure, readRejection(response))
}

export const withRejection = (failure: UpstreamFailure, rejection: Rejection | undefined): UpstreamFailure =>
  rejection ? { ...failure, rejection } : failure
