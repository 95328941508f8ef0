import { EventEmitter } from 'node:events'
import pg from 'pg'

/** What nodes tell each other: a topic (`policies`, `reviews` …) and the key that changed. */
export interface Signal {
  /** Resolves when the message is on its way; a lost one is caught by the listeners' own fallback. */
  publish(topic: string, key: string): Promise<void>
  /**
   * Calls `listener` with the key of each message on `topic`, from this node (before `publish` resolves; perhaps twice) and
   * others; with `undefined` when messages may have been missed (connection lost), so everything derived from the topic is to
   * be read again. Returns the way out.
   */
  subscribe(topic: string, listener: (key: string | undefined) => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'gatehouse'
const RECONNECT_MS = 250

class Subscribers {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  subscribe(topic: string, listener: (key: string | undefined) => void): () => void {
    this.#emitter.on(topic, listener)
    return () => this.#emitter.off(topic, listener)
  }

  deliver(topic: string, key: string | undefined): void {
    this.#emitter.emit(topic, key)
  }

  missed(): void {
    for (const topic of this.#emitter.eventNames()) this.#emitter.emit(topic, undefined)
  }
}

/** One process, one database: LISTEN does not cross PGlite's socket, and nobody else is there to be told. */
export function localSignal(): Signal {
  const subscribers = new Subscribers()
  return {
    publish: async (topic, key) => subscribers.deliver(topic, key),
    subscribe: (topic, listener) => subscribers.subscribe(topic, listener),
    close: async () => {},
  }
}

/** LISTEN/NOTIFY on a connection of its own, which comes back by itself. */
export async function postgresSignal(pool: pg.Pool, url: string, onError: (error: Error) => void): Promise<Signal> {
  const subscribers = new Subscribers()
  let closed = false
  let client: pg.Client | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    next.on('notification', ({ payload = '' }) => {
      const [topic = '', key = ''] = payload.split('\n', 2)
      subscribers.deliver(topic, key)
    })
    next.on('error', onError)
    await next.connect()
    await next.query(`listen ${CHANNEL}`)
    next.on('end', () => {
      if (!closed) setTimeout(reconnect, RECONNECT_MS).unref()
    })
    client = next
  }
  const reconnect = (): void => {
    if (closed) return
    connect().then(
      () => subscribers.missed(),
      (error: Error) => {
        onError(error)
        setTimeout(reconnect, RECONNECT_MS).unref()
      },
    )
  }

  await connect()
  return {
    async publish(topic, key) {
      // At once here, where the change was made; that this node then hears its own notification as well does no harm.
      subscribers.deliver(topic, key)
      await pool.query('select pg_notify($1, $2)', [CHANNEL, `${topic}\n${key}`])
    },
    subscribe: (topic, listener) => subscribers.subscribe(topic, listener),
    async close() {
      closed = true
      await client?.end()
    },
  }
}
