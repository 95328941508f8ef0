import { type Fields, isObject, isSet, parseJsonObject, textOf } from '../../lib/untrusted-json.ts'

/** An event of a stream. `type`: the field `event` of the event, if it has one. */
export interface StreamEvent {
  readonly type?: string | undefined
  readonly data: string
}

/** Events that end the stream. They hold the whole response, so no delta has to be read. */
const LAST_EVENTS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])

/**
 * The response object of a stream, from its events in order, for `readResponseObject` and `readFailureObject`. Undefined as long as none of them
 * ends the stream: a stream that is over by then is malformed. Events after that are ignored.
 */
export class ResponseStream {
  #response: Fields | undefined

  get response(): Fields | undefined {
    return this.#response
  }

  add({ type, data }: StreamEvent): void {
    if (this.#response || !(type === undefined || type === 'message' || LAST_EVENTS.has(type))) return
    const event = parseJsonObject(Buffer.from(data))
    const name = textOf(event?.type)
    if (!event || !LAST_EVENTS.has(name)) return
    if (name === 'error') this.#response = failedResponse(event)
    else if (isObject(event.response) && event.response.status === name.slice('response.'.length)) this.#response = event.response
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
