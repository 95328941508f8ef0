import type { EventType } from './event.ts'

/**
 * `standard`: Standard Webhooks. `slack`: an incoming webhook of Slack. `teams`: a workflow of Microsoft Teams. The chat formats are for
 * events of reviews, policies, keys and budgets, whose text the server writes.
 */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'teams'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

/** A receiver that gets the events of a Workspace by HTTP. */
export interface Webhook {
  /** `whk_…` */
  readonly id: string
  readonly url: string
  readonly format: WebhookFormat
  /** null: all, in a chat format all but those of messaging. */
  readonly types: readonly EventType[] | null
  readonly enabled: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type WebhookFields = Pick<Webhook, 'url' | 'format' | 'types' | 'enabled'>

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** One event that is sent to one webhook. */
export interface Delivery {
  /** `dlv_…`: the same in every attempt, so that a receiver recognises repeated deliveries. */
  readonly id: string
  readonly webhookId: string
  readonly type: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  /** HTTP status of the last attempt; null: there was no response. */
  readonly lastStatus: number | null
  readonly lastFailure: string | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

/** Time after which a delivery that keeps failing becomes dead (MSG-HOOK-2). */
export const DELIVERY_LIFETIME_MS = 72 * 3_600_000
