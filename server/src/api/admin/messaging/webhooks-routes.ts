import { type Static, Type } from 'typebox'
import { listDeliveries, replayDeadDeliveries, replayDelivery } from '../../../domains/messaging/events/delivery-store.ts'
import { EVENT_TYPES } from '../../../domains/messaging/events/event.ts'
import { DELIVERY_STATES, WEBHOOK_FORMATS } from '../../../domains/messaging/events/webhook.ts'
import { testBody } from '../../../domains/messaging/events/webhook-dispatcher.ts'
import { findWebhookUrlProblem } from '../../../domains/messaging/events/webhook-sender.ts'
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  findWebhookTarget,
  listWebhooks,
  updateWebhook,
  type Webhook,
} from '../../../domains/messaging/events/webhook-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { newId } from '../../../platform/lib/id.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { GOVERNANCE_EVENT_TYPES, isGovernanceEvent } from '../../../shared/governance-event.ts'
import { invalid, requireFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { List, listById, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'

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
    description: 'Event types. null: all of the format; in `standard` also messaging events, with the texts of messages.',
  }),
)
const Format = oneOf(WEBHOOK_FORMATS, 'WebhookFormat')

const WebhookCreate = Type.Object({
  url: Url,
  format: Type.Optional(Format),
  types: Type.Optional({
    ...Types,
    description: 'Default for a new webhook: the events of reviews, policies, keys, budgets and providers.',
  }),
  enabled: Type.Optional(Type.Boolean({ default: true })),
})

const WebhookPatch = Type.Partial(WebhookCreate)
type WebhookPatch = Static<typeof WebhookPatch>

const WebhookView = Type.Object({
  id: Type.String(),
  object: Type.Literal('webhook'),
  url: Type.String({ description: 'Only its origin, unless you have `messaging:write`: it may hold a credential.' }),
  format: Format,
  types: Types,
  enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const CreatedWebhookView = Type.Object(
  { secret: Type.String({ description: 'Signing secret, `whsec_…` (Standard Webhooks).' }), ...WebhookView.properties },
  { title: 'CreatedWebhook' },
)

/** A URL can be a credential: operators who cannot change webhooks see its origin only. */
const webhookView = (webhook: Webhook, canSeeUrl: boolean) =>
  viewOf(WebhookView, webhook, { url: canSeeUrl ? webhook.url : `${new URL(webhook.url).origin}/…` })

const State = oneOf(DELIVERY_STATES, 'DeliveryState')

const DeliveryView = Type.Object({
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

const UNKNOWN = { 404: 'NOT_FOUND: the webhook, or the Workspace' }
const KEPT =
  'Successful deliveries are kept for 7 days, dead ones for 30. Content that is deleted from conversations is deleted here too.'

const docs = {
  deliveries: inWorkspace(
    'GET /webhooks/:id/deliveries',
    'listWebhookDeliveries',
    'List the deliveries of a webhook, newest first',
    {
      scope: 'messaging:read',
      description: `\`state=dead\` lists failed deliveries. ${KEPT}`,
      errors: UNKNOWN,
      query: { ...PAGE, state: Type.Optional(State) },
      answers: { 200: List(DeliveryView) },
    },
  ),
  test: inWorkspace('POST /webhooks/:id/test', 'testWebhook', 'Send a test event now and get the response', {
    scope: 'messaging:write',
    description: 'The event `webhook.test` is sent once, also to a disabled webhook, and is not listed as a delivery.',
    errors: UNKNOWN,
    answers: {
      200: Type.Object({
        delivered: Type.Boolean(),
        status: nullable(Type.Integer({ description: 'HTTP status of the response. null: none.' })),
        failure: nullable(Type.String({ description: 'Why the event was not delivered.' })),
      }),
    },
  }),
  replay: inWorkspace(
    'POST /webhooks/:id/deliveries/:delivery/replay',
    'replayWebhookDelivery',
    'Replay a delivery, with the same id',
    {
      scope: 'messaging:write',
      description: 'Works in every state. Retries continue for 3 days.',
      answers: { 200: DeliveryView },
      errors: { 404: 'NOT_FOUND: the delivery, the webhook, or the Workspace' },
    },
  ),
  replayDeadDeliveries: inWorkspace(
    'POST /webhooks/:id/replay',
    'replayDeadWebhookDeliveries',
    'Replay all dead deliveries of a webhook',
    {
      scope: 'messaging:write',
      errors: UNKNOWN,
      answers: { 200: Type.Object({ replayed: Type.Integer({ description: 'Number of deliveries.' }) }) },
    },
  ),
}

export function webhooksRoutes(app: TypedApp, deps: AdminDeps): void {
  const { webhookBox: box, webhooks } = deps

  resource(app, deps, {
    noun: 'webhook',
    path: '/webhooks',
    area: 'messaging',
    view: WebhookView,
    show: (rows: readonly Webhook[], { operator }) =>
      rows.map((row) => webhookView(row, operator.scopes.includes('messaging:write'))),
    changed: () => webhooks.changed(),
    list: { read: listWebhooks },
    get: { find: findWebhook },
    create: {
      description:
        'Events are sent by POST with the headers and signature of Standard Webhooks and the body `{id, type, timestamp, payload}`. ' +
        'Events of reviews, policies, keys and budgets have the `url` of their page in the dashboard and no content of requests. The formats `slack` (incoming webhook) and `teams` (workflow) send only these events, as text with a button. ' +
        'Failed deliveries are retried for 3 days and then dead. Only this response contains the secret.',
      body: WebhookCreate,
      write: async (tx, { workspaceId, body }, now) => {
        checkUrl(body, deps)
        const created = await createWebhook(tx, workspaceId, { ...DEFAULTS, ...body }, { box, now })
        checkTypes(created)
        return created
      },
      extra: { view: CreatedWebhookView, fields: ({ secret }: CreatedWebhook) => ({ secret }) },
    },
    update: {
      description: 'Missing fields stay unchanged. A disabled webhook gets no events, and no events are kept for it.',
      body: WebhookPatch,
      write: async (tx, { workspaceId, params, body }, now) => {
        checkUrl(body, deps)
        const updated = await updateWebhook(tx, workspaceId, params.id, body, now)
        if (updated) checkTypes(updated)
        return updated
      },
    },
    remove: { summary: 'Delete a webhook and its deliveries', remove: deleteWebhook },
  })

  deliveryRoutes(app, deps)
}

function deliveryRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, clock, webhookBox, webhookSender, webhooks } = deps

  handle(app, docs.deliveries, async ({ workspaceId, params, query }) => {
    const { id: webhookId } = await requireWebhook(db, workspaceId, params.id)
    const { state } = query
    const filter = { ...pageOf(query), ...(state !== undefined && { state }) }
    return listById(await listDeliveries(db, { workspaceId, webhookId }, filter), (row) => viewOf(DeliveryView, row))
  })

  handle(app, docs.test, async ({ workspaceId, params }) => {
    const target = requireFound(await findWebhookTarget(db, workspaceId, params.id, webhookBox), 'webhook')
    const [id, now] = [newId('dlv'), clock.now()]
    const sent = await webhookSender.send({ ...target, id, body: testBody(id, target.format, now) }, now)
    return { delivered: sent.failure === null, status: sent.status, failure: sent.failure }
  })

  handle(app, docs.replay, async (request) => {
    const { workspaceId, params } = request
    const { id: webhookId } = await requireWebhook(db, workspaceId, params.id)
    const delivery = await change(deps, request, async (tx, now) => {
      const value = requireFound(await replayDelivery(tx, { workspaceId, webhookId }, params.delivery, now), 'delivery')
      return { value, action: 'webhook_delivery.replay', id: value.id }
    })
    webhooks.wake()
    return viewOf(DeliveryView, delivery)
  })

  handle(app, docs.replayDeadDeliveries, async (request) => {
    const { workspaceId, params } = request
    const { id: webhookId } = await requireWebhook(db, workspaceId, params.id)
    const replayed = await change(deps, request, async (tx, now) => {
      const value = await replayDeadDeliveries(tx, { workspaceId, webhookId }, now)
      return { value, action: 'webhook.replay', id: webhookId }
    })
    webhooks.wake()
    return { replayed }
  })
}

const requireWebhook = async (db: Db, workspaceId: string, id: string): Promise<Webhook> =>
  requireFound(await findWebhook(db, workspaceId, id), 'webhook')

type CreatedWebhook = Awaited<ReturnType<typeof createWebhook>>

/** Without messaging events, whose payloads contain what users write. */
const DEFAULTS = { format: 'standard', types: GOVERNANCE_EVENT_TYPES, enabled: true } as const

/** Throws a 400 for types that the format does not have. */
function checkTypes({ format, types }: Webhook): void {
  const index = format === 'standard' ? -1 : (types ?? []).findIndex((type) => !isGovernanceEvent(type))
  if (index < 0) return
  const message = `${types?.[index]} cannot be sent in the format ${format}, which has no messaging events: remove it, or choose the format standard`
  throw invalid({ param: `types[${index}]`, message })
}

function checkUrl({ url }: WebhookPatch, { config }: AdminDeps): void {
  const problem = url === undefined ? undefined : findWebhookUrlProblem(url, config.allowPrivateUrls)
  if (problem !== undefined) throw invalid({ param: 'url', message: problem })
}
