import type { StreamCollector } from '../../dialects/upstream-dialect.ts'
import type { StreamReader } from '../../platform/lib/http-request.ts'
import type { Fields } from '../../platform/lib/untrusted-json.ts'
import { AwsEventReader } from './aws-event-reader.ts'
import { EventReader } from './event-reader.ts'
import type { Rejection } from './rejection.ts'

export interface ResponseReader extends StreamReader {
  /** The meaning of the error that the provider reported in the stream; undefined for an outage. */
  readonly rejection: Rejection | undefined
  /** The collected response; undefined: the stream ended too early. */
  finish(): Fields | undefined
}

/** How a provider frames the events of a streamed response. */
export type StreamFormat = 'server-sent-events' | 'aws-event-stream'

/** The media types of responses that are streams. */
export const STREAM_TYPES: Readonly<Record<StreamFormat, RegExp>> = {
  'server-sent-events': /^text\/event-stream(?:\s*;|\s*$)/i,
  'aws-event-stream': /^application\/vnd\.amazon\.eventstream(?:\s*;|\s*$)/i,
}

/** `maxBytes`: of the content, without the framing. */
export const openReader = (format: StreamFormat, collector: StreamCollector, maxBytes: number): ResponseReader =>
  format === 'aws-event-stream' ? new AwsEventReader(collector, maxBytes) : new EventReader(collector, maxBytes)
