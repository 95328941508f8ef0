import type { EventStreamMessage } from '../../platform/lib/aws-event-stream.ts'
import { type Fields, parseJsonObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { parseResponse } from '../../shared/free-json.ts'

/**
 * A message of InvokeModelWithResponseStream: `event`: an event of the Messages API, and the bytes of its JSON. `failed`: the
 * model or Bedrock ended the stream with an error. `malformed`: none of both.
 */
export type BedrockEvent =
  | { readonly kind: 'event'; readonly event: Fields; readonly length: number }
  | { readonly kind: 'failed'; readonly status: number }
  | { readonly kind: 'malformed' }

const MALFORMED: BedrockEvent = { kind: 'malformed' }
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
/** Statuses that the same failures have before a stream begins. */
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
