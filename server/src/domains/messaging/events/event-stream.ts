import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { LoggedEvent } from './event.ts'

/** Bytes that may be buffered for one client. A slower client is disconnected, and resumes after the last event that it received. */
const MAX_BUFFERED_BYTES = 1_048_576
const RECONNECT_MS = 1_000
/** The same when the server stops, at random between both, so that not all clients connect at once. */
const RECONNECT_AFTER_STOP_MS = [500, 3_000] as const

export interface Reader {
  readonly workspaceId: string
  readonly userId: string
  readonly isAuthorized: () => Promise<boolean>
}

export class EventStream {
  readonly reader: Reader
  position: number
  /** Whether the feed writes new events to this stream. Before that, the feed reads the log for this stream alone. */
  isLive = false
  readonly #response: ServerResponse

  constructor(response: ServerResponse, reader: Reader, position: number) {
    this.#response = response
    this.reader = reader
    this.position = position
  }

  get ended(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener)
  }

  /** Tells the client from which position it can resume, even if there is no event yet. */
  writePosition(): void {
    this.write(`retry: ${RECONNECT_MS}\nid: ${this.position}\n\n`)
  }

  /** Tells the client that the log no longer has its position, so that it must load all data again (MSG-EVENT-3). */
  writeReset(): void {
    this.write(`id: ${this.position}\nevent: reset\ndata: {}\n\n`)
  }

  /** Writes a heartbeat with the current position, or ends the stream if the reader's token is no longer valid. */
  async beat(): Promise<void> {
    if (!(await this.reader.isAuthorized())) return this.end()
    this.write(`: heartbeat\nid: ${this.position}\n\n`)
  }

  write(bytes: Buffer | string): void {
    if (this.ended) return
    this.#response.write(bytes)
    if (this.#response.writableLength > MAX_BUFFERED_BYTES) this.#response.destroy()
  }

  /** Resolves when the client has received what was written, or has disconnected. */
  async drained(): Promise<void> {
    if (this.ended || !this.#response.writableNeedDrain) return
    const closed = new AbortController()
    const onClose = (): void => closed.abort()
    this.#response.once('close', onClose)
    await once(this.#response, 'drain', { signal: closed.signal }).catch(() => {})
    this.#response.off('close', onClose)
  }

  endForStop(): void {
    const [from, to] = RECONNECT_AFTER_STOP_MS
    this.write(`retry: ${randomInt(from, to)}\nid: ${this.position}\n\n`)
    this.end()
  }

  end(): void {
    if (!this.ended) this.#response.end()
  }
}

export const toFrame = ({ sequence, type, payload }: LoggedEvent): string =>
  `id: ${sequence}\nevent: ${type}\ndata: ${payload}\n\n`
