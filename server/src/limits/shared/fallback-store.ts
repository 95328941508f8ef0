import type { Signal } from '../../db/signal.ts'
import { elapsed } from '../../lib/clock.ts'
import type { Exchange, QuotaAnswer, QuotaStore } from './quota-store.ts'

/** Topic: a node cannot reach Valkey. */
const TOPIC = 'valkey_lost'
/** While a node cannot reach Valkey, it says so at this interval. */
const PROBE_MS = 1_000
/** Nodes return to Valkey when no node has said so for this time. */
const QUIET_MS = 4_000
/** A bucket that counts as used up at the start is full after its capacity has refilled, which this limits. */
const LONGEST_AGE_MS = 24 * 3_600_000

export interface PrimaryStore extends QuotaStore {
  ping(): Promise<void>
}

interface FallbackDeps {
  readonly signal: Pick<Signal, 'publish' | 'subscribe'>
  readonly log: { error(fields: object, text: string): void; info(fields: object, text: string): void }
  readonly clock?: () => number
}

/**
 * Counts in Valkey, and in PostgreSQL while any node cannot reach Valkey, so that all nodes count in one place. After each change the
 * limits count as used up, because the other store knows what was admitted.
 */
export class FallbackStore implements QuotaStore {
  readonly #valkey: PrimaryStore
  readonly #postgres: QuotaStore
  readonly #deps: FallbackDeps
  readonly #clock: () => number
  readonly #unsubscribe: () => void
  #isLost = false
  /** When a node last said that it cannot reach Valkey. */
  #lostAt = Number.NEGATIVE_INFINITY
  #changes = 0
  #changedAt = Number.NEGATIVE_INFINITY
  #changedAtBatch = 0
  #newestBatch = 0
  #timer: NodeJS.Timeout | undefined

  constructor(valkey: PrimaryStore, postgres: QuotaStore, deps: FallbackDeps) {
    this.#valkey = valkey
    this.#postgres = postgres
    this.#deps = deps
    this.#clock = deps.clock ?? elapsed
    this.#unsubscribe = deps.signal.subscribe(TOPIC, (key) => key !== undefined && this.#lose())
  }

  /** False while limits are counted in PostgreSQL. */
  get isUp(): boolean {
    return !this.#isLost
  }

  async exchange(exchange: Exchange): Promise<readonly QuotaAnswer[]> {
    this.#newestBatch = exchange.batch
    if (this.#isLost) return this.#exchangeIn(this.#postgres, exchange)
    try {
      return await this.#exchangeIn(this.#valkey, exchange)
    } catch (cause) {
      // @NOTE the client's errors hold the command, with the keys of users.
      const reason = cause instanceof Error ? cause.message : String(cause)
      if (!this.#isLost)
        this.#deps.log.error({ reason }, 'Valkey does not respond: limits are counted in PostgreSQL until it does')
      this.#announce()
      return this.#exchangeIn(this.#postgres, exchange)
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#unsubscribe()
  }

  async #exchangeIn(store: QuotaStore, exchange: Exchange): Promise<readonly QuotaAnswer[]> {
    if (this.#changes === 0) return store.exchange(exchange)
    // The store may know leases from before another change: these are others.
    const suffix = `/${this.#changes}`
    const requests = exchange.requests.map((request) => ({
      ...request,
      holder: request.holder + suffix,
      last: request.last > this.#changedAtBatch ? request.last : 0,
    }))
    const age = Math.floor(this.#clock() - this.#changedAt)
    const answers = await store.exchange({ ...exchange, requests, age: age < LONGEST_AGE_MS ? age : undefined })
    return answers.map((answer) => ({ ...answer, holder: answer.holder.slice(0, -suffix.length) }))
  }

  #announce(): void {
    this.#lose()
    // Without PostgreSQL there are no admissions that others would have to know of.
    this.#deps.signal.publish(TOPIC, '').catch(() => {})
  }

  #lose(): void {
    this.#lostAt = this.#clock()
    if (this.#isLost) return
    this.#change(true)
    this.#timer = setInterval(() => void this.#probe(), PROBE_MS).unref()
  }

  async #probe(): Promise<void> {
    try {
      await this.#valkey.ping()
    } catch {
      this.#announce()
      return
    }
    if (!this.#isLost || this.#clock() - this.#lostAt < QUIET_MS) return
    clearInterval(this.#timer)
    this.#change(false)
    this.#deps.log.info({}, 'Valkey responds again: limits are counted there')
  }

  #change(isLost: boolean): void {
    this.#isLost = isLost
    this.#changes += 1
    this.#changedAt = this.#clock()
    this.#changedAtBatch = this.#newestBatch
  }
}
