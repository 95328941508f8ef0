import type { EventType } from './event.ts'

/** Who is told by HTTP of everything that happens in a Workspace. */
export interface Webhook {
  /** `whk_…` */
  readonly id: string
  readonly url: string
  /** null: all. */
  readonly types: readonly EventType[] | null
  readonly enabled: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type WebhookFields = Pick<Webhook, 'url' | 'types' | 'enabled'>

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** One event on its way to one webhook. */
export interface Delivery {
  /** `dlv_…`: the same in every attempt, so that a receiver knows what it has had. */
  readonly id: string
  readonly webhookId: string
  readonly type: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  /** HTTP status of the last attempt; null: there was no answer. */
  readonly lastStatus: number | null
  readonly lastFailure: string | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long a delivery is tried before it is dead (decisions.md §3, Webhooks). */
export const TRIED_MS = 72 * HOUR

/** After each failed attempt; the last one counts for all that follow. */
const WAITS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR]
/** Receivers that failed together do not come back together. */
const SPREAD = 0.2

/** No attempt is put off further than that. */
export const LONGEST_WAIT_MS = Math.max(...WAITS_MS) * (1 + SPREAD / 2)

/** How long to wait after that many failed attempts. `random`: from 0 to 1. */
export function waitAfter(attempts: number, random: () => number): number {
  const wait = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1] as number
  return Math.round(wait * (1 + SPREAD * (random() - 0.5)))
}
