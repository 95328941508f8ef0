import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { LoggedEvent } from './event.ts'

/** What may wait in memory for one reader. Who falls further behind is cut off, and resumes from what has arrived. */
const MAX_WAITING_BYTES = 1_048_576
/** How long clients wait before they come back. */
const RETRY_MS = 1_000

/** Who reads, and from which token: whether that still counts is asked again while the stream is open. */
export interface Reader {
  readonly workspaceId: string
  readonly userId: string
  readonly isAuthorized: () => Promise<boolean>
}

/** One reader's open answer, and how far in the log it is. */
export class EventStream {
  readonly reader: Reader
  /** Everything up to this sequence that concerns the reader has been written. While `live`: everything the hub has read. */
  position: number
  /** What comes next is written as it happens; before that the stream reads the log for itself. */
  live = false
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

  /** From here on the reader knows where to resume, even when nothing ever happens. */
  begin(): void {
    this.write(`retry: ${RETRY_MS}\nid: ${this.position}\n\n`)
  }

  /** The log no longer reaches back to where the reader was: it has to read anew what it shows. */
  reset(): void {
    this.write(`id: ${this.position}\nevent: reset\ndata: {}\n\n`)
  }

  /** Shows that the connection lives, and moves the place to resume from past what concerns others. Ends where the reader may not stay. */
  async beat(): Promise<void> {
    if (!(await this.reader.isAuthorized())) return this.end()
    this.write(`: heartbeat\nid: ${this.position}\n\n`)
  }

  write(bytes: Buffer | string): void {
    if (this.ended) return
    this.#response.write(bytes)
    if (this.#response.writableLength > MAX_WAITING_BYTES) this.#response.destroy()
  }

  /** Until the reader has taken what was written, or is gone. */
  async taken(): Promise<void> {
    if (this.ended || !this.#response.writableNeedDrain) return
    const gone = new AbortController()
    const onClose = (): void => gone.abort()
    this.#response.once('close', onClose)
    await once(this.#response, 'drain', { signal: gone.signal }).catch(() => {})
    this.#response.off('close', onClose)
  }

  end(): void {
    if (!this.ended) this.#response.end()
  }
}

/** An event as it is sent to everybody who may know of it. */
export const toFrame = ({ sequence, type, payload }: LoggedEvent): string =>
  `id: ${sequence}\nevent: ${type}\ndata: ${payload}\n\n`
