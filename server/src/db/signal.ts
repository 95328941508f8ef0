import { EventEmitter } from 'node:events'
import pg from 'pg'
import { elapsed } from '../lib/clock.ts'
import { withDeadline } from '../lib/deadline.ts'

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
/** A connection can fall silent without an end (a failover, a router that has forgotten it): it is asked this often. */
const BEAT_MS = 2_000
const ANSWER_MS = 3_000
/** A busy machine takes its time at start. */
const CONNECT_MS = 10_000

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

interface SignalOptions {
  readonly onError: (error: Error) => void
  /** Told when the connection has stopped answering: since when (of `elapsed`). Others may lead nowhere as well. */
  readonly onSilence: (since: number) => void
}

/** LISTEN/NOTIFY on a connection of its own, which comes back by itself, also when it has fallen silent without an end. */
export async function postgresSignal(pool: pg.Pool, url: string, { onError, onSilence }: SignalOptions): Promise<Signal> {
  const subscribers = new Subscribers()
  let closed = false
  let client: pg.Client | undefined
  let beating: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
    })
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
  const beat = async (): Promise<void> => {
    const asked = client
    const since = elapsed()
    try {
      await asked?.query('select 1')
    } catch (error) {
      if (closed) return
      if (elapsed() - since >= ANSWER_MS - 50) onSilence(since)
      onError(new Error('the connection that listens for changes does not answer and is made again', { cause: error }))
      // Its `end` leads to `reconnect`.
      if (asked) endNow(asked)
    }
  }
  const beatAgain = (): void => {
    beating = setTimeout(() => void beat().finally(() => closed || beatAgain()), BEAT_MS).unref()
  }

  await connect()
  beatAgain()
  return {
    async publish(topic, key) {
      // At once here, where the change was made; that this node then hears its own notification as well does no harm.
      subscribers.deliver(topic, key)
      await pool.query('select pg_notify($1, $2)', [CHANNEL, `${topic}\n${key}`])
    },
    subscribe: (topic, listener) => subscribers.subscribe(topic, listener),
    async close() {
      closed = true
      clearTimeout(beating)
      await withDeadline(ANSWER_MS, client?.end() ?? Promise.resolve(), 'the listening connection did not end').catch(() => {
        if (client) endNow(client)
      })
    },
  }
}

/** Without a word to the other side, which may not be there. */
const endNow = (client: pg.Client): void =>
  void (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
