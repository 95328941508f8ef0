import type { EncodedBody, StreamCollector, UpstreamDialect, UpstreamRequest } from '../../dialects/upstream-dialect.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { HttpFailure, HttpRequest, StreamReader } from '../../platform/lib/http-request.ts'
import { parseJsonObject } from '../../platform/lib/untrusted-json.ts'
import type { Completion } from '../../shared/completion.ts'
import { holdsManyDataUrls } from '../../shared/data-url-limit.ts'
import { parseResponse } from '../../shared/free-json.ts'
import type { ChatApi } from './adapter.ts'
import type { Endpoint } from './connection-pools.ts'
import { type Rejection, readRejection } from './rejection.ts'
import { openReader, type ResponseReader, STREAM_TYPES } from './response-reader.ts'
import { sendToProvider, type Target, withHeaders } from './send-to-provider.ts'

/** A chat request after the transforms of policies. `model`: the name that the client used. The completion has the same name. */
export type ProviderRequest = Omit<UpstreamRequest, 'stream'>

export interface UpstreamFailure extends Omit<HttpFailure, 'body' | 'failure'> {
  /** `unsupported`: the provider's API has no equivalent of a field. Nothing was sent. */
  readonly failure: HttpFailure['failure'] | 'unsupported'
  /** Whether the provider reported an error after the response had begun. */
  readonly hasBegun?: boolean
  /** The meaning of an error status; undefined for an outage. */
  readonly rejection?: Rejection
}

export type UpstreamResult = { readonly ok: true; readonly status: number; readonly completion: Completion } | UpstreamFailure

export interface AttemptLimits {
  /** For the whole attempt, milliseconds. */
  readonly timeoutMs: number
  /** Without a byte, until the headers and between bytes of the body or events of a stream. Default: `timeoutMs`. */
  readonly idleMs?: number
  readonly signal?: AbortSignal | undefined
  /** Called for each event of a streamed response. */
  readonly onChunk?: () => void
}

export interface AdapterDeps {
  readonly clock: Clock
  /** Creates an id with this prefix. */
  readonly newId: (prefix: string) => string
  /** Maximum size of a response in bytes, for a stream without its framing. Default: 8 MiB. */
  readonly maxResponseBytes?: number
}

const MAX_RESPONSE_BYTES = 8 * 1_048_576

/** Called while a streamed response grows. */
export interface TextWatch {
  /** `text`: the text so far; undefined: the response has other content. It starts again with another attempt. */
  grown(text: string | undefined): void
}

interface UpstreamCall extends Omit<EncodedBody, 'ok'> {
  readonly chat: ChatApi
  /** The name of the model that the client used. */
  readonly model: string
  readonly watch?: TextWatch | undefined
}

/** Makes one attempt at a provider. A failure is a value, without any text of the provider. */
export async function requestCompletion(
  endpoint: Endpoint,
  { model, body, headers = {}, chat: { dialect, path, streamFormat }, watch }: UpstreamCall,
  limits: AttemptLimits,
  deps: AdapterDeps,
): Promise<UpstreamResult> {
  const maxBytes = deps.maxResponseBytes ?? MAX_RESPONSE_BYTES
  let reader: ResponseReader | undefined
  let collector: StreamCollector | undefined
  const open = () => {
    collector = dialect.collect()
    reader = openReader(streamFormat, collector, maxBytes)
    return watched(reader, collector, watch, limits.onChunk)
  }
  // A provider may answer a request for a stream without one.
  const stream = endpoint.stream && { stream: { mediaType: STREAM_TYPES[streamFormat], open } }
  const sent = await sendUpstream(withHeaders(endpoint, headers), { path, body, maxBytes, ...stream }, limits, deps)
  if (!sent.ok) {
    if (sent.failure !== 'error_event') return inChatFields(sent, dialect)
    const hasBegun = collector !== undefined && collector.bytes > 0
    return inChatFields({ ...withRejection(sent, reader?.rejection), ...(hasBegun && { hasBegun }) }, dialect)
  }
  const { status } = sent
  const response = reader ? reader.finish() : parseJsonObject(sent.body, parseResponse)
  if (reader && !response) return { ok: false, failure: 'truncated', status }
  const completion =
    response &&
    dialect.read(response, {
      model,
      newId: deps.newId,
      created: () => Math.floor(deps.clock.now().getTime() / 1_000),
    })
  if (completion) {
    const isReadable = !holdsManyDataUrls(contentOf(completion))
    return isReadable ? { ok: true, status, completion } : { ok: false, failure: 'malformed', status }
  }
  const reported = response && dialect.readFailure?.(response)
  if (!reported) return { ok: false, failure: 'malformed', status }
  const failure = { ok: false, failure: 'status', status: reported.status } as const
  // The event that reports the failure is content too, so the bytes do not tell.
  const hasBegun = reported.hasOutput || (collector !== undefined && collector.text !== '')
  return withRejection({ ...failure, ...(hasBegun && { hasBegun }) }, readRejection({ ...failure, body: reported.body }))
}

/** A reader that reports each event, and to `watch` the text after each chunk but the last one: the complete response is judged next. */
const watched = (
  reader: ResponseReader,
  collector: StreamCollector,
  watch: TextWatch | undefined,
  onChunk: AttemptLimits['onChunk'],
): StreamReader => ({
  write(chunk) {
    const effect = reader.write(chunk)
    if (effect === 'progress' || effect === 'done') onChunk?.()
    if (effect === 'progress') watch?.grown(collector.text)
    return effect
  },
})

/** The texts that stages 10 and 12 read, as JSON; empty for a short response. */
const contentOf = ({ choices }: Completion): string =>
  choices.some(({ message: { content } }) => typeof content !== 'string' || content.length > SHORT) ? JSON.stringify(choices) : ''
const SHORT = 32_768

/** A refusal names the field of the chat API. */
function inChatFields(failure: UpstreamFailure, dialect: UpstreamDialect): UpstreamFailure {
  const { rejection } = failure
  if (rejection?.kind !== 'refused' || rejection.param === undefined || !dialect.chatParamOf) return failure
  return { ...failure, rejection: { ...rejection, param: dialect.chatParamOf(rejection.param) } }
}

type SentRequest = Pick<HttpRequest, 'path' | 'maxBytes' | 'stream'> & { readonly body: string }

/** Sends one request to a provider and reads the meaning of an error response. */
export async function sendUpstream(
  target: Target,
  request: SentRequest,
  { timeoutMs, idleMs = timeoutMs, signal }: AttemptLimits,
  { clock }: Pick<AdapterDeps, 'clock'>,
): Promise<{ readonly ok: true; readonly status: number; readonly body: Buffer } | UpstreamFailure> {
  const now = () => clock.now().getTime()
  const limits = { timeoutMs, idleMs, signal, keepsErrorBody: true }
  const response = await sendToProvider(target, { method: 'POST', now, ...request, ...limits })
  if (response.ok) return response
  const { body: _, ...failure } = response
  return withRejection(failure, readRejection(response))
}

const withRejection = (failure: UpstreamFailure, rejection: Rejection | undefined): UpstreamFailure =>
  rejection ? { ...failure, rejection } : failure
