import type { ServerResponse } from 'node:http'
import type { Db } from '../../db/database.ts'
import type { Signal } from '../../db/signal.ts'
import { GatehouseError } from '../../errors.ts'
import { WORKSPACES_TOPIC } from '../../identity/user-token.ts'
import { ACCESS_TOKENS_TOPIC, type Member } from '../api/member.ts'
import { EVENTS_TOPIC } from './event.ts'
import { EventFeed } from './event-feed.ts'
import { findLogPosition } from './event-log-store.ts'
import { EventStream } from './event-stream.ts'

/** Open streams of one user on this node: every device has one or two. */
const MAX_STREAMS = 50
const HEARTBEAT_MS = 15_000
/** In case a signal was lost. */
const PULL_MS = 1_000
/** After a token has changed. */
const CHECK_MS = 100

export interface HubOptions {
  readonly db: Db
  readonly signal: Signal
  readonly onError: (error: Error) => void
  readonly heartbeatMs?: number
}

export interface StreamRequest {
  readonly member: Member
  /** The last event that the reader has; undefined: from now on. */
  readonly after: number | undefined
  /** Whether the member's token still counts; asked with every heartbeat. */
  readonly isAuthorized: () => Promise<boolean>
}

/** All open event streams of this node. A stream costs it a socket and no query of its own once it has caught up. */
export class EventHub {
  readonly #options: HubOptions
  readonly #feeds = new Map<string, EventFeed>()
  readonly #unsubscribe: readonly (() => void)[]
  #checking: NodeJS.Timeout | undefined
  #pulling: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: HubOptions) {
    this.#options = options
    const { signal } = options
    this.#unsubscribe = [
      signal.subscribe(EVENTS_TOPIC, (workspaceId) => this.#pull(workspaceId)),
      signal.subscribe(ACCESS_TOKENS_TOPIC, () => this.#checkSoon()),
      signal.subscribe(WORKSPACES_TOPIC, () => this.#checkSoon()),
    ]
  }

  /**
   * Streams a member's events to `response` until either side ends it. `start` sends the head, once nothing can be refused any
   * more. Throws RATE_LIMITED where the member has too many streams already.
   */
  async open(response: ServerResponse, { member, after, isAuthorized }: StreamRequest, start: () => void): Promise<void> {
    const { workspaceId, user } = member
    const { last, pruned } = await findLogPosition(this.#options.db, workspaceId)
    if (this.#closed) throw new GatehouseError('UNAVAILABLE')
    if (response.destroyed) return
    const feed =
      this.#feeds.get(workspaceId) ??
      new EventFeed(this.#options.db, workspaceId, { position: last, onError: this.#options.onError })
    if (feed.streamsOf(user.id) >= MAX_STREAMS) {
      const message = `At most ${MAX_STREAMS} event streams may be open for one user; close one first.`
      throw new GatehouseError('RATE_LIMITED', { message, headers: { 'retry-after': '10' } })
    }
    const lost = after !== undefined && (after < pruned || after > last)
    const stream = new EventStream(response, { workspaceId, userId: user.id, isAuthorized }, lost ? last : (after ?? last))
    this.#feeds.set(workspaceId, feed)
    feed.add(stream)
    const heart = setInterval(() => this.#beat(stream), this.#options.heartbeatMs ?? HEARTBEAT_MS).unref()
    stream.onClose(() => {
      clearInterval(heart)
      this.#remove(feed, stream)
    })
    this.#pulling ??= setInterval(() => this.#pull(), PULL_MS).unref()
    start()
    stream.begin()
    if (lost) stream.reset()
    // What came between the look at the log and this stream's place in the feed.
    this.#pull(workspaceId)
    // What fails here fails after the head was sent: the reader comes back and resumes.
    await feed.catchUp(stream).catch((error: Error) => {
      this.#options.onError(error)
      stream.end()
    })
  }

  /** Ends every stream: their readers resume elsewhere, or later. */
  close(): void {
    this.#closed = true
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    clearInterval(this.#pulling)
    clearTimeout(this.#checking)
    for (const stream of this.#streams()) stream.end()
  }

  #streams(): EventStream[] {
    return [...this.#feeds.values()].flatMap((feed) => feed.streams())
  }

  /** Many tokens may change at once; and whoever remembers them has to hear of it first. */
  #checkSoon(): void {
    this.#checking ??= setTimeout(() => {
      this.#checking = undefined
      for (const stream of this.#streams()) this.#beat(stream)
    }, CHECK_MS).unref()
  }

  #pull(workspaceId?: string): void {
    const feeds = workspaceId === undefined ? [...this.#feeds.values()] : [this.#feeds.get(workspaceId)]
    for (const feed of feeds) feed?.pull()
  }

  #remove(feed: EventFeed, stream: EventStream): void {
    feed.remove(stream)
    if (feed.empty && this.#feeds.get(stream.reader.workspaceId) === feed) this.#feeds.delete(stream.reader.workspaceId)
    if (this.#feeds.size > 0) return
    clearInterval(this.#pulling)
    this.#pulling = undefined
  }

  #beat(stream: EventStream): void {
    stream.beat().catch(this.#options.onError)
  }
}
