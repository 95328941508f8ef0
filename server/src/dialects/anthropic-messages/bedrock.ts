import type { EventStreamMessage } from '../../platform/lib/aws-event-stream.ts'
import { type Fields, isObject, parseJsonObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { parseResponse } from '../../shared/free-json.ts'
import type { UpstreamDialect } from '../upstream-dialect.ts'
import { EventCollector } from './upstream-events.ts'
import { encodeRequest } from './upstream-request.ts'
import { readMessage } from './upstream-response.ts'

const VERSION = 'bedrock-2023-05-31'

/**
 * The Messages API as the body of InvokeModel of Amazon Bedrock, whose path names the model:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html. `betas`: the value of the
 * declared header `anthropic-beta`, which stands in the body here. Those of clients are left out, because Bedrock refuses a request with one
 * that the model does not know.
 */
export const bedrockUpstream = (betas: string | undefined): UpstreamDialect => ({
  encode: (request) => encodeRequest(request, (body) => toInvokeBody(body, namesOf(betas))),
  collect: () => new EventCollector(),
  read: readMessage,
})

const namesOf = (betas = ''): readonly string[] => betas.split(',').flatMap((name) => name.trim() || [])

/** Bedrock refuses the lifetime of a cache entry and a break point of the whole request. They change only the price (decision 0006). */
function toInvokeBody({ model: _, stream: _stream, cache_control: _cached, ...body }: Fields, betas: readonly string[]): Fields {
  const { tools, system, messages } = body
  return {
    anthropic_version: VERSION,
    ...(betas.length > 0 && { anthropic_beta: betas }),
    ...body,
    ...(Array.isArray(tools) && { tools: tools.map(withoutLifetime) }),
    ...(Array.isArray(system) && { system: system.map(withoutLifetime) }),
    ...(Array.isArray(messages) && { messages: messages.map(withoutLifetime) }),
  }
}

/** Arguments of calls and schemas stay as they are. */
function withoutLifetime(block: unknown): unknown {
  if (!isObject(block)) return block
  const { cache_control: control, content } = block
  return {
    ...block,
    ...(isObject(control) && { cache_control: { type: control.type } }),
    ...(Array.isArray(content) && { content: content.map(withoutLifetime) }),
  }
}

/** A message of InvokeModelWithResponseStream. `length`: bytes of the event’s JSON. `failed`: the model or Bedrock ended the stream. */
export type BedrockEvent =
  | { readonly kind: 'event'; readonly event: Fields; readonly length: number }
  | { readonly kind: 'failed'; readonly status: number }
  | { readonly kind: 'malformed' }

const MALFORMED: BedrockEvent = { kind: 'malformed' }
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const STATUSES: Readonly<Record<string, number>> = {
  validationException: 400,
  modelTimeoutException: 408,
  throttlingException: 429,
  modelStreamErrorException: 424,
  serviceUnavailableException: 503,
}

/** Reads a message of https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html. Never throws. */
export function readBedrockEvent({ headers, payload }: EventStreamMessage): BedrockEvent {
  const type = headers.get(':message-type')
  if (type === 'error') return { kind: 'failed', status: 500 }
  if (type === 'exception') {
    const name = headers.get(':exception-type') ?? ''
    return { kind: 'failed', status: (Object.hasOwn(STATUSES, name) ? STATUSES[name] : undefined) ?? 500 }
  }
  if (type !== 'event' || headers.get(':event-type') !== 'chunk') return MALFORMED
  const bytes = textOf(parseJsonObject(payload)?.bytes)
  if (!BASE64.test(bytes)) return MALFORMED
  const json = Buffer.from(bytes, 'base64')
  const event = parseJsonObject(json, parseResponse)
  return event ? { kind: 'event', event, length: json.length } : MALFORMED
}
