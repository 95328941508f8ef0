import type { Db } from '../../db/database.ts'
import { Loop } from '../../jobs/queue/loop.ts'
import type { LoggedEvent } from './event.ts'
import { readEventLog } from './event-log-store.ts'
import { type EventStream, toFrame } from './event-stream.ts'

/** Events read at once; a message has up to 32 KiB. */
const PAGE = 50
/** Places of the log that one query looks at for a single reader, however few events concern that reader. */
const WINDOW = 5_000
const WINDOW_PAGE = 20

interface FeedOptions {
  /** Up to where streams have the log. */
  readonly position: number
  readonly onError: (error: Error) => void
}

/** One Workspace's log on this node: read once, written to every stream whose user may know. */
export class EventFeed {
  readonly #db: Db
  readonly #workspaceId: string
  readonly #streams = new Map<string, Set<EventStream>>()
  /** Up to where it has been read. */
  #position: number
  readonly #reading: Loop

  constructor(db: Db, workspaceId: string, { position, onError }: FeedOptions) {
    this.#db = db
    this.#workspaceId = workspaceId
    this.#position = position
    this.#reading = new Loop(() => this.#readNew(), { onError })
  }

  get empty(): boolean {
    return this.#streams.size === 0
  }

  streams(): EventStream[] {
    return [...this.#streams.values()].flatMap((own) => [...own])
  }

  streamsOf(userId: string): number {
    return this.#streams.get(userId)?.size ?? 0
  }

  add(stream: EventStream): void {
    const own = this.#streams.get(stream.reader.userId) ?? new Set()
    this.#streams.set(stream.reader.userId, own.add(stream))
  }

  remove(stream: EventStream): void {
    const { userId } = stream.reader
    const own = this.#streams.get(userId)
    own?.delete(stream)
    if (own?.size === 0) this.#streams.delete(userId)
  }

  /** Brings a stream from where its reader was to where the feed is, as fast as it is read; from then on it is live. */
  async catchUp(stream: EventStream): Promise<void> {
    const { userId } = stream.reader
    while (stream.position < this.#position && !stream.ended) {
      const upTo = Math.min(this.#position, stream.position + WINDOW)
      const range = { after: stream.position, upTo }
      const events = await readEventLog(this.#db, this.#workspaceId, range, { most: WINDOW_PAGE, userId })
      for (const event of events) {
        stream.write(toFrame(event))
        stream.position = event.sequence
        await stream.taken()
      }
      if (events.length < WINDOW_PAGE) stream.position = upTo
    }
    stream.live = true
  }

  /** Reads what is new. Returns at once. */
  pull(): void {
    this.#reading.wake()
  }

  async #readNew(): Promise<void> {
    for (let full = true; full; ) {
      const events = await readEventLog(this.#db, this.#workspaceId, { after: this.#position }, { most: PAGE })
      full = events.length === PAGE
      if (events.length > 0) this.#tell(events)
    }
  }

  /** Each stream is written to once, whatever it is told of. */
  #tell(events: readonly LoggedEvent[]): void {
    const frames = new Map<EventStream, Buffer[]>()
    for (const event of events) {
      const frame = Buffer.from(toFrame(event))
      for (const stream of this.#readersOf(event.audience)) {
        if (!stream.live || event.sequence <= stream.position) continue
        const own = frames.get(stream)
        if (own) own.push(frame)
        else frames.set(stream, [frame])
      }
    }
    this.#position = events.at(-1)?.sequence ?? this.#position
    for (const [stream, own] of frames) stream.write(own.length === 1 ? (own[0] as Buffer) : Buffer.concat(own))
    for (const stream of this.streams()) {
      if (stream.live) stream.position = Math.max(stream.position, this.#position)
    }
  }

  *#readersOf(audience: readonly string[]): Iterable<EventStream> {
    for (const userId of audience) yield* this.#streams.get(userId) ?? []
  }
}
