import { EventEmitter } from 'node:events'
import pg from 'pg'
import { elapsed } from '../lib/clock.ts'
import { withDeadline } from '../lib/deadline.ts'
import { destroySocket } from './connections.ts'

/** Messages between nodes: a topic (`policies`, `reviews` …) and the key that has changed. */
export interface Signal {
  /** Resolves when the message is sent. Messages can be lost, so listeners need a fallback such as a time limit. */
  publish(topic: string, key: string): Promise<void>
  /**
   * Calls `listener` with the key of each message of the topic, from this node (before `publish` resolves, sometimes twice) and from
   * others. `undefined` means that messages may have been lost: the listener then reads all its data again. Returns the function that
   * unsubscribes.
   */
  subscribe(topic: string, listener: (key: string | undefined) => void): () => void
  readonly reconnects: number
  close(): Promise<void>
}

const CHANNEL = 'gatehouse'
const RECONNECT_MS = 250
/** How often the connection is checked: after a failover it may stop responding without being closed. */
const HEARTBEAT_MS = 2_000
const RESPONSE_MS = 3_000
/** Longer than usual, because a busy machine is slow at startup. */
const CONNECT_MS = 10_000

class Subscribers {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  readonly subscribe: Signal['subscribe'] = (topic, listener) => {
    this.#emitter.on(topic, listener)
    return () => this.#emitter.off(topic, listener)
  }

  deliver(topic: string, key: string): void {
    this.#emitter.emit(topic, key)
  }

  reportLoss(): void {
    for (const topic of this.#emitter.eventNames()) this.#emitter.emit(topic, undefined)
  }
}

/** For the embedded database, which only one node uses. LISTEN does not work over the socket of PGlite. */
export function localSignal(): Signal {
  const subscribers = new Subscribers()
  return {
    publish: async (topic, key) => subscribers.deliver(topic, key),
    subscribe: subscribers.subscribe,
    reconnects: 0,
    close: async () => {},
  }
}

interface SignalOptions {
  readonly onError: (error: Error) => void
  /** Called when the connection has stopped responding, with the time (of `elapsed`) since when: other connections may be dead too. */
  readonly onSilence: (since: number) => void
}

/** Sends messages with NOTIFY and receives them on a separate connection with LISTEN. */
export async function postgresSignal(pool: pg.Pool, url: string, options: SignalOptions): Promise<Signal> {
  const subscribers = new Subscribers()
  const connection = new ListeningConnection({ ...options, url, subscribers })
  await connection.open()
  return {
    async publish(topic, key) {
      // Listeners of this node are called at once. They may be called again for the notification, which does no harm.
      subscribers.deliver(topic, key)
      await pool.query('select pg_notify($1, $2)', [CHANNEL, `${topic}\n${key}`])
    },
    subscribe: subscribers.subscribe,
    get reconnects() {
      return connection.reconnects
    },
    close: () => connection.close(),
  }
}

/** Listens for notifications. Connects again after an error, also when the connection stops responding without being closed. */
class ListeningConnection {
  readonly #options: SignalOptions & { readonly url: string; readonly subscribers: Subscribers }
  #client: pg.Client | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #closed = false
  reconnects = 0

  constructor(options: SignalOptions & { readonly url: string; readonly subscribers: Subscribers }) {
    this.#options = options
  }

  async open(): Promise<void> {
    await this.#connect()
    this.#scheduleHeartbeat()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#heartbeat)
    const ended = this.#client?.end() ?? Promise.resolve()
    await withDeadline(RESPONSE_MS, ended, 'the listening connection did not end').catch(() => {
      if (this.#client) destroySocket(this.#client)
    })
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: RESPONSE_MS,
    })
    client.on('notification', ({ payload = '' }) => {
      const [topic = '', key = ''] = payload.split('\n', 2)
      this.#options.subscribers.deliver(topic, key)
    })
    client.on('error', this.#options.onError)
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    client.on('end', () => this.#scheduleReconnect())
    this.#client = client
  }

  #scheduleReconnect(): void {
    if (!this.#closed) setTimeout(() => this.#reconnect(), RECONNECT_MS).unref()
  }

  #reconnect(): void {
    if (this.#closed) return
    this.#connect().then(
      () => {
        this.reconnects++
        this.#options.subscribers.reportLoss()
      },
      (error: Error) => {
        this.#options.onError(error)
        this.#scheduleReconnect()
      },
    )
  }

  #scheduleHeartbeat(): void {
    this.#heartbeat = setTimeout(() => {
      void this.#beat().finally(() => this.#closed || this.#scheduleHeartbeat())
    }, HEARTBEAT_MS).unref()
  }

  async #beat(): Promise<void> {
    const client = this.#client
    const since = elapsed()
    try {
      await client?.query('select 1')
    } catch (error) {
      if (this.#closed) return
      if (elapsed() - since >= RESPONSE_MS - 50) this.#options.onSilence(since)
      this.#options.onError(new Error('the connection for notifications does not respond; connecting again', { cause: error }))
      // The `end` event of the connection causes the reconnect.
      if (client) destroySocket(client)
    }
  }
}
