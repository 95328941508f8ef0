/**
 * `standard`: Standard Webhooks. `slack`: an incoming webhook of Slack. `teams`: a workflow of Microsoft Teams. The chat formats are for
 * events of reviews, policies, keys and budgets, whose text the server writes.
 */
export const WEBHOOK_FORMATS = ['standard', 'slack', 'teams'] as const
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number]

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Time after which a delivery that keeps failing becomes dead (MSG-HOOK-2). */
export const DELIVERY_LIFETIME_MS = 72 * 3_600_000
