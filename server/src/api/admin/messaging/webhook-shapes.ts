import { type Static, Type } from 'typebox'
import { EVENT_TYPES } from '../../../domains/messaging/events/event.ts'
import { DELIVERY_STATES, WEBHOOK_FORMATS } from '../../../domains/messaging/events/webhook.ts'
import type { Webhook } from '../../../domains/messaging/events/webhook-store.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { nullable } from '../../../shared/schemas.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: '^[^\\u0000]+$',
  description: 'Absolute https:// or http:// URL with a public address. Redirects are not followed.',
})
const Types = nullable(
  Type.Array(oneOf(EVENT_TYPES, 'WebhookEvent'), {
    minItems: 1,
    maxItems: EVENT_TYPES.length,
    description: 'Event types. null: all of the format.',
  }),
)
const Format = oneOf(WEBHOOK_FORMATS, 'WebhookFormat')

export const WebhookCreate = Type.Object({
  url: Url,
  format: Type.Optional(Format),
  types: Type.Optional(Types),
  enabled: Type.Optional(Type.Boolean({ default: true })),
})

export const WebhookPatch = Type.Partial(WebhookCreate)
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookView = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook'),
  url: Type.String({ description: 'Only its origin, unless you have `messaging:write`: it may hold a credential.' }),
  format: Format,
  types: Types,
  enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})

export const CreatedWebhookView = Type.Object(
  { secret: Type.String({ description: 'Signing secret, `whsec_…` (Standard Webhooks).' }), ...WebhookView.properties },
  { title: 'CreatedWebhook' },
)

/** A URL can be a credential: operators who cannot change webhooks see its origin only. */
export const webhookView = (webhook: Webhook, canSeeUrl: boolean) =>
  viewOf(WebhookView, webhook, { url: canSeeUrl ? webhook.url : `${new URL(webhook.url).origin}/…` })

export const State = oneOf(DELIVERY_STATES, 'DeliveryState')

export const DeliveryView = Type.Object({
  id: Type.String({ description: 'Sent as `webhook-id`, the same for all attempts.' }),
  object: Type.Literal('webhook_delivery'),
  webhook_id: Type.String(),
  type: Type.String(),
  state: State,
  attempts: Type.Integer({ description: 'Number of attempts since the first, or since the last replay.' }),
  next_attempt_at: nullable(Timestamp),
  last_status: nullable(Type.Integer({ description: 'HTTP status of the last attempt. null: no response.' })),
  last_failure: nullable(Type.String()),
  created_at: Timestamp,
  ended_at: nullable(Timestamp),
})
