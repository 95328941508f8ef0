import type { Db } from '../../../platform/db/database.ts'
import { Loop } from '../../../platform/queue/loop.ts'
import type { LoggedEvent } from './event.ts'
import { readEventLog } from './event-log-store.ts'
import { type EventStream, toFrame } from './event-stream.ts'

/** Events read by one query; a message has up to 32 KiB. */
const PAGE = 50
/** Sequences that one query for a single reader covers, even if few of the events are for that reader. */
const CATCH_UP_RANGE = 5_000
const CATCH_UP_PAGE = 20

interface FeedOptions {
  /** Sequence of the last event of the log; the feed reads later ones. */
  readonly position: number
  readonly onError: (error: Error) => void
}

/** The log of one Workspace on this node: each event is read once and written to every stream of its audience. */
export class EventFeed {
  readonly #db: Db
  readonly #workspaceId: string
  readonly #streams = new Map<string, Set<EventStream>>()
  #position: number
  readonly #reading: Loop

  constructor(db: Db, workspaceId: string, { position, onError }: FeedOptions) {
    this.#db = db
    this.#workspaceId = workspaceId
    this.#position = position
    this.#reading = new Loop(() => this.#readNewEvents(), { onError })
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0
  }

  streams(): EventStream[] {
    return [...this.#streams.values()].flatMap((streams) => [...streams])
  }

  countStreamsOf(userId: string): number {
    return this.#streams.get(userId)?.size ?? 0
  }

  add(stream: EventStream): void {
    const streams = this.#streams.get(stream.reader.userId) ?? new Set()
    this.#streams.set(stream.reader.userId, streams.add(stream))
  }

  remove(stream: EventStream): void {
    const { userId } = stream.reader
    const streams = this.#streams.get(userId)
    streams?.delete(stream)
    if (streams?.size === 0) this.#streams.delete(userId)
  }

  /** Writes the events between the stream's position and the feed's, as fast as the client reads. Then the stream is live. */
  async catchUp(stream: EventStream): Promise<void> {
    const { userId } = stream.reader
    while (stream.position < this.#position && !stream.ended) {
      const upTo = Math.min(this.#position, stream.position + CATCH_UP_RANGE)
      const range = { after: stream.position, upTo }
      const events = await readEventLog(this.#db, this.#workspaceId, range, { most: CATCH_UP_PAGE, userId })
      for (const event of events) {
        stream.write(toFrame(event))
        stream.position = event.sequence
        await stream.drained()
      }
      if (events.length < CATCH_UP_PAGE) stream.position = upTo
    }
    stream.isLive = true
  }

  wake(): void {
    this.#reading.wake()
  }

  async #readNewEvents(): Promise<void> {
    for (let isFull = true; isFull; ) {
      const events = await readEventLog(this.#db, this.#workspaceId, { after: this.#position }, { most: PAGE })
      isFull = events.length === PAGE
      if (events.length > 0) this.#writeToStreams(events)
    }
  }

  /** Writes once to each live stream, so that a page costs one system call for each client. */
  #writeToStreams(events: readonly LoggedEvent[]): void {
    const frames = new Map<EventStream, Buffer[]>()
    for (const event of events) {
      const frame = Buffer.from(toFrame(event))
      for (const stream of this.#streamsOf(event.audience)) {
        if (!stream.isLive || event.sequence <= stream.position) continue
        const streamFrames = frames.get(stream)
        if (streamFrames) streamFrames.push(frame)
        else frames.set(stream, [frame])
      }
    }
    this.#position = events.at(-1)?.sequence ?? this.#position
    for (const [stream, [first, ...others]] of frames)
      if (first) stream.write(others.length === 0 ? first : Buffer.concat([first, ...others]))
    for (const stream of this.streams()) {
      if (stream.isLive) stream.position = Math.max(stream.position, this.#position)
    }
  }

  *#streamsOf(audience: readonly string[]): Iterable<EventStream> {
    for (const userId of audience) yield* this.#streams.get(userId) ?? []
  }
}
