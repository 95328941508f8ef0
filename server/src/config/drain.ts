import type { Environment } from './environment.ts'
import { integer, seconds } from './numbers.ts'

/** How the server stops. */
export interface DrainConfig {
  /** Time after SIGTERM in which `/readyz` responds with 503 and requests are still accepted. */
  readonly delayMs: number
  /** Time limit after `delayMs` for requests in flight. Then they are aborted. */
  readonly timeoutMs: number
  /** A line for the log for each variable of an earlier release that is set. */
  readonly warnings: readonly string[]
}

/** A load balancer needs time to see the 503. A node with an embedded database is the only one and has none. */
const DELAY_MS = 5_000
const TIMEOUT_MS = 120_000
const MAX_DELAY_SECONDS = 600
const MAX_TIMEOUT_SECONDS = 3_600

/** The names of the last release, in milliseconds, work for one more release. */
export function readDrainConfig(env: Environment): DrainConfig {
  const delayMs = integer(env, 'GATEHOUSE_DRAIN_DELAY_MS', env.DATABASE_URL ? DELAY_MS : 0, 0, MAX_DELAY_SECONDS * 1_000)
  const timeoutMs = integer(env, 'GATEHOUSE_DRAIN_TIMEOUT_MS', TIMEOUT_MS, 0, MAX_TIMEOUT_SECONDS * 1_000)
  return {
    delayMs: seconds(env, 'GATEHOUSE_DRAIN_SECONDS', MAX_DELAY_SECONDS) ?? delayMs,
    timeoutMs: seconds(env, 'GATEHOUSE_STOP_SECONDS', MAX_TIMEOUT_SECONDS) ?? timeoutMs,
    warnings: [
      ...warningFor(env, 'GATEHOUSE_DRAIN_DELAY_MS', 'GATEHOUSE_DRAIN_SECONDS'),
      ...warningFor(env, 'GATEHOUSE_DRAIN_TIMEOUT_MS', 'GATEHOUSE_STOP_SECONDS'),
    ],
  }
}

const warningFor = (env: Environment, old: string, name: string): readonly string[] =>
  env[old] ? [`${old} is replaced by ${name}, in seconds, and ends with the next release`] : []
