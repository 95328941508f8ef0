import type { UpstreamDialect } from '../dialects/upstream-dialect.ts'
import type { Completion } from '../domain/completion.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { Clock } from '../lib/clock.ts'
import { type HttpFailure, sendHttpRequest } from '../lib/http-request.ts'
import type { Endpoint } from './connection-pools.ts'
import { type Rejection, readRejection } from './rejection.ts'

/** A chat request after the transforms of policies. */
export interface ProviderRequest {
  /** The name that the client used. The completion has the same name. */
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** Further fields of the OpenAI API. Fields that the gateway sets (model, messages, stream …) are ignored. */
  readonly parameters: Readonly<Record<string, unknown>>
}

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
  readonly dialect: UpstreamDialect
}

/** Makes one attempt at a provider. A failure is a value, without any text of the provider. */
export async function requestCompletion(
  endpoint: Endpoint,
  { model, dialect, ...call }: UpstreamCall,
  limits: AttemptLimits,
  deps: AdapterDeps,
): Promise<UpstreamResult> {
  const maxBytes = deps.maxResponseBytes ?? MAX_RESPONSE_BYTES
  const response = await sendUpstream(endpoint, { ...call, maxBytes }, limits, deps)
  if (!response.ok) return inChatFields(response, dialect)
  const completion = dialect.read(response.body, {
    model,
    newId: () => deps.newId('chatcmpl'),
    created: () => Math.floor(deps.clock.now().getTime() / 1_000),
  })
  if (completion) return { ok: true, status: response.status, completion }
  const reported = dialect.readFailure?.(response.body)
  if (!reported) return { ok: false, failure: 'malformed', status: response.status }
  const failure = { ok: false, failure: 'status', status: reported.status } as const
  const rejection = readRejection({ ...failure, body: reported.body })
  return rejection ? { ...failure, rejection } : failure
}

/** A refusal names the field of the chat API. */
function inChatFields(failure: UpstreamFailure, dialect: UpstreamDialect): UpstreamFailure {
  const { rejection } = failure
  if (rejection?.kind !== 'refused' || rejection.param === undefined || !dialect.chatParamOf) return failure
  return { ...failure, rejection: { ...rejection, param: dialect.chatParamOf(rejection.param) } }
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
