import { type Fields, isObject, isSet, textOf } from '../../lib/untrusted-json.ts'
import type { StreamCollector, StreamEffect } from '../upstream-dialect.ts'

/** Events that end the stream. They hold the whole response, so no delta has to be read. */
const LAST_EVENTS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])
/** Events without content, which only keep the connection alive. */
const PINGS: ReadonlySet<string> = new Set(['keepalive', 'ping'])

/**
 * Collects the events of a streamed response (https://platform.openai.com/docs/api-reference/responses-streaming) into the response object of the event that
 * ends the stream. An error event becomes a failed response.
 */
export class ResponseCollector implements StreamCollector {
  bytes = 0
  #response: Fields | undefined

  add(event: Fields, length: number): StreamEffect {
    const type = textOf(event.type)
    if (!LAST_EVENTS.has(type)) {
      this.bytes += Buffer.byteLength(textOf(event.delta))
      return PINGS.has(type) ? 'nothing' : 'content'
    }
    this.bytes = length
    if (type === 'error') this.#response = failedResponse(event)
    else if (isObject(event.response) && event.response.status === type.slice('response.'.length)) this.#response = event.response
    return 'done'
  }

  finish(): Fields | undefined {
    return this.#response
  }
}

/** The error is in the event, or in its field `error`. */
const failedResponse = (event: Fields): Fields => {
  const { code, message } = isObject(event.error) ? event.error : event
  return {
    object: 'response',
    status: 'failed',
    error: { code: isSet(code) ? textOf(code) : '', message: textOf(message) },
    output: [],
  }
}
