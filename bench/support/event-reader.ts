import { type ClientRequest, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** An event of `GET /v1/events`, as it arrived. */
export interface StreamedEvent {
  readonly id: number
  readonly type: string
  /** The text of `data:`. */
  readonly data: string
}

export interface Reading {
  readonly base: string
  readonly token: string
  /** Resumes after it. */
  readonly lastEventId?: number | undefined
  /** Behind the path, as `after=12`. */
  readonly query?: string
}

/** One open stream of events. What arrived whole stays in `events`, however the stream ends. */
export class EventReader {
  readonly events: StreamedEvent[] = []
  /** The last `id:` that arrived: where to resume. */
  position: number | undefined
  /** Comments: heartbeats. */
  comments = 0
  status: number | undefined
  ended = false
  readonly contentType: Promise<string>
  readonly #request: ClientRequest
  #rest = ''

  constructor({ base, token, lastEventId, query }: Reading) {
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
      response.on('data', (text: string) => this.#take(text))
      response.on('close', end)
      response.on('error', end)
    })
    this.#request.on('error', end)
  }

  /** Opens a stream and waits for its first place: what happens from then on arrives. */
  static async open(reading: Reading): Promise<EventReader> {
    const reader = new EventReader(reading)
    await reader.#wait(() => reader.#begun)
    return reader
  }

  /** The first event that fits, of those that have arrived or arrive within that time. */
  async until(fits: (event: StreamedEvent) => boolean, ms = 10_000): Promise<StreamedEvent> {
    let found: StreamedEvent | undefined
    await this.#wait(() => {
      found = this.events.find(fits)
      return found !== undefined
    }, ms)
    return found as StreamedEvent
  }

  close(): void {
    this.#request.destroy()
  }

  #begun = false

  async #wait(done: () => boolean, ms = 10_000): Promise<void> {
    const deadline = performance.now() + ms
    while (!done()) {
      if (this.ended || performance.now() > deadline) {
        throw new Error(`no such event (status ${this.status}, ended: ${this.ended}): ${JSON.stringify(this.events.slice(-5))}`)
      }
      await sleep(5)
    }
  }

  #take(text: string): void {
    const frames = (this.#rest + text).split('\n\n')
    this.#rest = frames.pop() ?? ''
    for (const frame of frames) this.#read(frame.split('\n'))
  }

  #read(lines: readonly string[]): void {
    const field = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const [id, data] = [field('id'), field('data')]
    this.comments += lines.filter((line) => line.startsWith(':')).length
    if (id !== undefined) this.position = Number(id)
    if (id !== undefined) this.#begun = true
    if (data !== undefined) this.events.push({ id: Number(id), type: field('event') ?? 'message', data })
  }
}
