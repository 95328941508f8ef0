import type { EncodedBody, StreamCollector, UpstreamDialect } from '../../dialects/upstream-dialect.ts'
import type { StreamReader } from '../../platform/lib/http-request.ts'
import { parseJsonObject } from '../../platform/lib/untrusted-json.ts'
import type { Completion } from '../../shared/completion.ts'
import { holdsManyDataUrls } from '../../shared/content-reading.ts'
import { parseResponse } from '../../shared/free-json.ts'
import type { ChatApi } from './adapters.ts'
import type { Endpoint } from './connection-pools.ts'
import type { AttemptResult, Operation, OperationDeps, ProviderRequest } from './operation.ts'
import { requestedTier } from './price-tier.ts'
import { upstreamNameOf } from './provider.ts'
import { readRejection } from './rejection.ts'
import { openReader, type ResponseReader, STREAM_TYPES } from './response-reader.ts'
import { type AttemptLimits, sendAttempt, type Target, type UpstreamFailure, withRejection } from './send-to-provider.ts'
import { stubCompletion } from './stub.ts'

const MAX_RESPONSE_BYTES = 8 * 1_048_576

export interface TextWatch {
  /** `text`: the text so far; undefined: the response has other content. It starts again with another attempt. */
  grown(text: string | undefined): void
}

export const chatOperation = (request: ProviderRequest, watch?: TextWatch): Operation<Completion> => ({
  name: 'chat',
  tier: requestedTier(request.parameters),
  prepare(endpoint, model) {
    const name = upstreamNameOf(model)
    const api = endpoint.chat({ name, api: model.api ?? 'chat' })
    const encoded = api.dialect.encode({ ...request, model: name, stream: endpoint.stream })
    if (!encoded.ok) return encoded
    const call = { api, encoded, model: request.model, watch }
    return { ok: true, attempt: (target, limits, deps) => requestCompletion(target, call, limits, deps) }
  },
  stub: (deps) => stubCompletion(request, deps),
})

interface Call {
  readonly api: ChatApi
  readonly encoded: EncodedBody
  readonly model: string
  readonly watch: TextWatch | undefined
}

async function requestCompletion(
  endpoint: Endpoint,
  { model, encoded: { body, headers = {} }, api: { dialect, path, streamFormat }, watch }: Call,
  limits: AttemptLimits,
  deps: OperationDeps,
): Promise<AttemptResult<Completion>> {
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
  const sent = await sendAttempt(withHeaders(endpoint, headers), { path, body, maxBytes, ...stream }, limits, deps)
  if (!sent.ok) {
    if (sent.failure !== 'error_event') return inChatFields(sent, dialect)
    const hasBegun = collector !== undefined && collector.bytes > 0
    return inChatFields({ ...withRejection(sent, reader?.rejection), ...(hasBegun && { hasBegun }) }, dialect)
  }
  const { status } = sent
  const response = reader ? reader.finish() : parseJsonObject(sent.body, parseResponse)
  if (reader && !response) return { ok: false, failure: 'truncated', status }
  const created = () => Math.floor(deps.clock.now().getTime() / 1_000)
  const completion = response && dialect.read(response, { model, newId: deps.newId, created })
  if (completion) {
    const isReadable = !holdsManyDataUrls(contentOf(completion))
    return isReadable ? { ok: true, status, response: completion } : { ok: false, failure: 'malformed', status }
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

function inChatFields(failure: UpstreamFailure, dialect: UpstreamDialect): UpstreamFailure {
  const { rejection } = failure
  if (rejection?.kind !== 'refused' || rejection.param === undefined || !dialect.chatParamOf) return failure
  return { ...failure, rejection: { ...rejection, param: dialect.chatParamOf(rejection.param) } }
}

function withHeaders(target: Target, values: Readonly<Record<string, string>>): Target {
  if (Object.keys(values).length === 0) return target
  const headers = [...target.headers]
  for (const [name, value] of Object.entries(values)) {
    const at = headers.findIndex((header, index) => index % 2 === 0 && header === name)
    if (at < 0) headers.push(name, value)
    else headers[at + 1] = `${headers[at + 1]},${value}`
  }
  return { ...target, headers }
}
