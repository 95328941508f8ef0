import { setTimeout as sleep } from 'node:timers/promises'

/** A condition for accepting requests. */
export interface ReadinessCheck {
  /** Name in the response of `/readyz`, in `snake_case`. */
  readonly name: string
  /** Throws NotReady or Degraded, whose messages are public, or another error, whose message is only logged. */
  readonly run: () => Promise<void> | void
}

/** The server is not ready. The message is public: without names, addresses and content. */
export class NotReady extends Error {
  override readonly name = 'NotReady'
}

/** The server accepts requests, but an operator must act. The message is public, like that of NotReady. */
export class Degraded extends Error {
  override readonly name = 'Degraded'
}

interface CheckResult {
  readonly name: string
  readonly status: 'ok' | 'degraded' | 'fail'
  /** Absent with status `ok`. */
  readonly message?: string
  /** The error of the check, for the log only. */
  readonly cause?: unknown
}

type ReadinessReport = { readonly ready: boolean; readonly checks: readonly CheckResult[] }

/** Load balancers ask every few seconds and must not wait long. */
export const READINESS_DEADLINE_MS = 2_000

/** Runs all checks in parallel, each with the same deadline. Concurrent callers share one run. */
export class Readiness {
  readonly #checks: readonly ReadinessCheck[]
  readonly #deadlineMs: number
  #running: Promise<ReadinessReport> | undefined
  /** Whether the last run found no failure. */
  isReady = true

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
    this.isReady = checks.every(({ status }) => status !== 'fail')
    return { ready: this.isReady, checks }
  }

  async #resultOf({ name, run }: ReadinessCheck): Promise<CheckResult> {
    const done = new AbortController()
    const timeout = async (): Promise<never> => {
      await sleep(this.#deadlineMs, undefined, { signal: done.signal })
      throw new NotReady(`No response within ${this.#deadlineMs} ms.`)
    }
    try {
      await Promise.race([(async () => run())(), timeout()])
      return { name, status: 'ok' }
    } catch (cause) {
      if (cause instanceof Degraded) return { name, status: 'degraded', message: cause.message, cause }
      return {
        name,
        status: 'fail',
        message: cause instanceof NotReady ? cause.message : 'The check failed. See the log of the server.',
        cause,
      }
    } finally {
      done.abort()
    }
  }
}
