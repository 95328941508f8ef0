import type { Environment } from './environment.ts'
import { seconds } from './numbers.ts'

/** How the server stops. */
export interface DrainConfig {
  /** Time after SIGTERM in which `/readyz` responds with 503 and requests are still accepted. */
  readonly delayMs: number
  /** Time limit after `delayMs` for requests in flight. Then they are aborted. */
  readonly timeoutMs: number
}

/** A load balancer needs time to see the 503. A node with an embedded database is the only one and has none. */
const DELAY_MS = 5_000
const TIMEOUT_MS = 120_000
const MAX_DELAY_SECONDS = 600
const MAX_TIMEOUT_SECONDS = 3_600

export const readDrainConfig = (env: Environment): DrainConfig => ({
  delayMs: seconds(env, 'GATEHOUSE_DRAIN_SECONDS', MAX_DELAY_SECONDS) ?? (env.DATABASE_URL ? DELAY_MS : 0),
  timeoutMs: seconds(env, 'GATEHOUSE_STOP_SECONDS', MAX_TIMEOUT_SECONDS) ?? TIMEOUT_MS,
})
