import { type ClientRequest, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** An event of `GET /v1/events`. */
export interface StreamedEvent {
  readonly id: number
  readonly type: string
  /** The text of `data:`. */
  readonly data: string
}

export interface EventReaderOptions {
  readonly base: string
  readonly token: string
  /** The stream resumes after this id. */
  readonly lastEventId?: number | undefined
  /** Query string without `?`, for example `after=12`. */
  readonly query?: string
}

/** Longer than any event takes on a busy machine. */
const WAIT_MS = 30_000

/** One open event stream. Complete events stay in `events` after the stream ends. */
export class EventReader {
  readonly events: StreamedEvent[] = []
  /** Last received event id, from which a stream resumes. */
  position: number | undefined
  /** Number of received comments, which are heartbeats. */
  comments = 0
  status: number | undefined
  ended = false
  readonly contentType: Promise<string>
  readonly #request: ClientRequest
  #rest = ''

  constructor({ base, token, lastEventId, query }: EventReaderOptions) {
    this.position = lastEventId
    const headers = {
      authorization: `Bearer ${token}`,
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    }
    const end = (): void => {
      this.ended = true
    }
    let opened: (contentType: string) => void = () => {}
    this.contentType = new Promise((resolve) => {
      opened = resolve
    })
    this.#request = get(`${base}/v1/events${query ? `?${query}` : ''}`, { headers, agent: false }, (response) => {
      this.status = response.statusCode
      opened(response.headers['content-type'] ?? '')
      response.setEncoding('utf8')
      response.on('data', (text: string) => this.#readText(text))
      response.on('close', end)
      response.on('error', end)
    })
    this.#request.on('error', end)
  }

  /** Opens a stream and waits for its first id. All later events arrive. */
  static async open(options: EventReaderOptions): Promise<EventReader> {
    const reader = new EventReader(options)
    await reader.#wait(() => reader.#hasBegun)
    return reader
  }

  /** Waits for an event that matches and returns the first one. Throws after `ms`. */
  async until(matches: (event: StreamedEvent) => boolean, ms = WAIT_MS): Promise<StreamedEvent> {
    let found: StreamedEvent | undefined
    await this.#wait(() => {
      found = this.events.find(matches)
      return found !== undefined
    }, ms)
    return found as StreamedEvent
  }

  close(): void {
    this.#request.destroy()
  }

  #hasBegun = false

  async #wait(done: () => boolean, ms = WAIT_MS): Promise<void> {
    const deadline = performance.now() + ms
    while (!done()) {
      if (this.ended || performance.now() > deadline) {
        throw new Error(
          `no matching event (status ${this.status}, ended: ${this.ended}): ${JSON.stringify(this.events.slice(-5))}`,
        )
      }
      await sleep(5)
    }
  }

  #readText(text: string): void {
    const frames = (this.#rest + text).split('\n\n')
    this.#rest = frames.pop() ?? ''
    for (const frame of frames) this.#readFrame(frame.split('\n'))
  }

  #readFrame(lines: readonly string[]): void {
    const field = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const [id, data] = [field('id'), field('data')]
    this.comments += lines.filter((line) => line.startsWith(':')).length
    if (id !== undefined) this.position = Number(id)
    if (id !== undefined) this.#hasBegun = true
    if (data !== undefined) this.events.push({ id: Number(id), type: field('event') ?? 'message', data })
  }
}
