import type { ServerResponse } from 'node:http'
import type { Db } from '../../../platform/db/database.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import { Unavailable } from '../../../platform/lib/unavailable.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { WORKSPACES_TOPIC } from '../../identity/user-token.ts'
import { ACCESS_TOKENS_TOPIC, type Member } from '../people/member.ts'
import { EVENTS_TOPIC } from './event.ts'
import { EventFeed } from './event-feed.ts'
import { findLogPosition } from './event-log-store.ts'
import { EventStream } from './event-stream.ts'

/** Open streams of one user on this node; a device has one or two. */
const MAX_STREAMS = 50
const HEARTBEAT_MS = 15_000
const READ_INTERVAL_MS = 1_000
/** Delay between a change of a token and the check of all streams: caches drop the token first, and many changes share one check. */
const TOKEN_CHECK_DELAY_MS = 100

export interface HubOptions {
  readonly db: Db
  readonly signal: Signal
  readonly onError: (error: Error) => void
  readonly heartbeatMs?: number
}

export interface StreamRequest {
  readonly member: Member
  /** Sequence of the last event that the client has; undefined: the stream begins with the next event. */
  readonly after: number | undefined
  readonly isAuthorized: () => Promise<boolean>
}

/** All open event streams of this node. A stream that is live costs a socket and no queries. */
export class EventHub {
  readonly #options: HubOptions
  readonly #feeds = new Map<string, EventFeed>()
  readonly #unsubscribe: readonly (() => void)[]
  #tokenCheck: NodeJS.Timeout | undefined
  #reading: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: HubOptions) {
    this.#options = options
    const { signal } = options
    this.#unsubscribe = [
      signal.subscribe(EVENTS_TOPIC, (workspaceId) => this.#wakeFeeds(workspaceId)),
      signal.subscribe(ACCESS_TOKENS_TOPIC, () => this.#scheduleTokenCheck()),
      signal.subscribe(WORKSPACES_TOPIC, () => this.#scheduleTokenCheck()),
    ]
  }

  /** `start` sends the headers; no error can follow. RATE_LIMITED if the member has too many streams. */
  async open(
    response: ServerResponse,
    { member, after, isAuthorized }: StreamRequest,
    start: () => void,
  ): Promise<Refusal | undefined> {
    const { workspaceId, user } = member
    const { db, onError } = this.#options
    const { last, pruned } = await findLogPosition(db, workspaceId)
    if (this.#closed) throw new Unavailable()
    if (response.destroyed) return undefined
    const feed = this.#feeds.get(workspaceId) ?? new EventFeed(db, workspaceId, { position: last, onError })
    if (feed.countStreamsOf(user.id) >= MAX_STREAMS) {
      const message = `At most ${MAX_STREAMS} event streams may be open for one user; close one first.`
      return new Refusal('RATE_LIMITED', { message, headers: { 'retry-after': '10' } })
    }
    const isPruned = after !== undefined && (after < pruned || after > last)
    const stream = new EventStream(response, { workspaceId, userId: user.id, isAuthorized }, isPruned ? last : (after ?? last))
    this.#feeds.set(workspaceId, feed)
    this.#add(feed, stream)
    start()
    stream.writePosition()
    if (isPruned) stream.writeReset()
    // Reads the events that were logged after the position was read.
    feed.wake()
    // The headers are sent, so an error cannot be returned: the client connects again and resumes.
    await feed.catchUp(stream).catch((error: Error) => {
      onError(error)
      stream.end()
    })
    return undefined
  }

  get size(): number {
    return this.#streams().length
  }

  close(): void {
    this.#closed = true
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    clearInterval(this.#reading)
    clearTimeout(this.#tokenCheck)
    for (const stream of this.#streams()) stream.endForStop()
  }

  #streams(): EventStream[] {
    return [...this.#feeds.values()].flatMap((feed) => feed.streams())
  }

  #scheduleTokenCheck(): void {
    this.#tokenCheck ??= setTimeout(() => {
      this.#tokenCheck = undefined
      for (const stream of this.#streams()) this.#beat(stream)
    }, TOKEN_CHECK_DELAY_MS).unref()
  }

  #wakeFeeds(workspaceId?: string): void {
    const feeds = workspaceId === undefined ? [...this.#feeds.values()] : [this.#feeds.get(workspaceId)]
    for (const feed of feeds) feed?.wake()
  }

  #add(feed: EventFeed, stream: EventStream): void {
    feed.add(stream)
    const heartbeat = setInterval(() => this.#beat(stream), this.#options.heartbeatMs ?? HEARTBEAT_MS).unref()
    stream.onClose(() => {
      clearInterval(heartbeat)
      this.#remove(feed, stream)
    })
    this.#reading ??= setInterval(() => this.#wakeFeeds(), READ_INTERVAL_MS).unref()
  }

  #remove(feed: EventFeed, stream: EventStream): void {
    feed.remove(stream)
    if (feed.isEmpty && this.#feeds.get(stream.reader.workspaceId) === feed) this.#feeds.delete(stream.reader.workspaceId)
    if (this.#feeds.size > 0) return
    clearInterval(this.#reading)
    this.#reading = undefined
  }

  #beat(stream: EventStream): void {
    stream.beat().catch(this.#options.onError)
  }
}
