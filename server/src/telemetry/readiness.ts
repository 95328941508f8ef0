import { setTimeout as sleep } from 'node:timers/promises'

/** One thing that must hold before the server takes requests. */
export interface ReadinessCheck {
  /** As it stands in the answer of `/readyz`: `snake_case`. */
  readonly name: string
  /** Throws NotReady, whose message is public, or any other error, whose message is only logged. */
  readonly run: () => Promise<void> | void
}

/** Why the server is not ready. The message is sent to whoever asks `/readyz`: no names, no addresses, no content. */
export class NotReady extends Error {
  override readonly name = 'NotReady'
}

/** Something is wrong that an operator has to see, but the server takes requests. The message is public, as that of NotReady. */
export class Degraded extends Error {
  override readonly name = 'Degraded'
}

interface CheckResult {
  readonly name: string
  readonly status: 'ok' | 'degraded' | 'fail'
  /** Not with `ok`. */
  readonly message?: string
  /** What was thrown: for the log, never sent. */
  readonly cause?: unknown
}

interface ReadinessReport {
  readonly ready: boolean
  readonly checks: readonly CheckResult[]
}

/** A load balancer asks every few seconds and must not wait for the answer. */
export const READINESS_DEADLINE_MS = 2_000

/** Runs all checks at the same time, each under the same deadline; callers at the same time share one run. */
export class Readiness {
  readonly #checks: readonly ReadinessCheck[]
  readonly #deadlineMs: number
  #running: Promise<ReadinessReport> | undefined

  constructor(checks: readonly ReadinessCheck[], deadlineMs = READINESS_DEADLINE_MS) {
    this.#checks = checks
    this.#deadlineMs = deadlineMs
  }

  /** Never rejects. */
  report(): Promise<ReadinessReport> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<ReadinessReport> {
    const checks = await Promise.all(this.#checks.map((check) => this.#resultOf(check)))
    return { ready: checks.every(({ status }) => status !== 'fail'), checks }
  }

  async #resultOf({ name, run }: ReadinessCheck): Promise<CheckResult> {
    const done = new AbortController()
    const late = async (): Promise<never> => {
      await sleep(this.#deadlineMs, undefined, { signal: done.signal })
      throw new NotReady(`No answer within ${this.#deadlineMs} ms.`)
    }
    try {
      await Promise.race([(async () => run())(), late()])
      return { name, status: 'ok' }
    } catch (cause) {
      if (cause instanceof Degraded) return { name, status: 'degraded', message: cause.message, cause }
      return {
        name,
        status: 'fail',
        message: cause instanceof NotReady ? cause.message : 'The check failed; see the log.',
        cause,
      }
    } finally {
      done.abort()
    }
  }
}
