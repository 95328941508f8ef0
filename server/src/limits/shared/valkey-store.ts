import { createHash } from 'node:crypto'
import { Redis } from 'iovalkey'
import { withDeadline } from '../../lib/deadline.ts'
import type { QuotaAnswer, QuotaRequest, QuotaStore } from './quota-store.ts'
import { EXCHANGE_SCRIPT } from './valkey-script.ts'

/** Time limit of a command. A lease is asked for before it is needed, so requests rarely wait for it. */
const COMMAND_MS = 100
const LONGEST_PAUSE_MS = 1_000
const PREFIX = 'gatehouse:quota:'
const DIGEST = createHash('sha1').update(EXCHANGE_SCRIPT).digest('hex')

/** The state of the limits in Valkey or Redis: one script for each exchange. */
export class ValkeyStore implements QuotaStore {
  readonly #client: Redis

  /** `url`: redis:// or rediss://, with user and password. */
  constructor(url: string) {
    this.#client = new Redis(url, {
      lazyConnect: true,
      // A command fails at once if there is no connection, and is not repeated: its exchange may have been carried out.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      connectTimeout: LONGEST_PAUSE_MS,
      retryStrategy: (attempts) => Math.min(attempts * 50, LONGEST_PAUSE_MS),
    })
    // Commands fail as well. Without a listener, the client writes to standard error.
    this.#client.on('error', () => {})
  }

  /** Resolves when the connection is open. Rejects if it cannot be opened now; the client tries again by itself. */
  connect(): Promise<void> {
    return this.#client.connect()
  }

  async ping(): Promise<void> {
    await inTime(this.#client.ping())
  }

  async exchange({ batch, age, requests }: Parameters<QuotaStore['exchange']>[0]): Promise<readonly QuotaAnswer[]> {
    const keys = requests.map(({ key }) => PREFIX + key)
    const parameters = [...keys, batch, age ?? '', JSON.stringify(requests)]
    return readAmounts(requests, await this.#evaluate(keys.length, parameters))
  }

  close(): void {
    this.#client.disconnect()
  }

  async #evaluate(keys: number, parameters: readonly (string | number)[]): Promise<unknown> {
    try {
      return await inTime(this.#client.evalsha(DIGEST, keys, ...parameters))
    } catch (error) {
      // A server that was restarted has no scripts. It has carried out nothing.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return inTime(this.#client.eval(EXCHANGE_SCRIPT, keys, ...parameters))
    }
  }
}

/** The client's own time limit would count the time in which this process was too busy to read an answer. */
const inTime = <T>(command: Promise<T>): Promise<T> => withDeadline(COMMAND_MS, command, 'Valkey did not respond')

/** The answers of the script. A request without one came too late. */
export function readAmounts(requests: readonly QuotaRequest[], amounts: unknown): readonly QuotaAnswer[] {
  return requests.flatMap(({ holder }, index) => {
    const [granted = -1, used = 0, free = 0] = (amounts as readonly string[]).slice(3 * index, 3 * index + 3).map(Number)
    return granted < 0 ? [] : [{ holder, granted, used, free }]
  })
}
