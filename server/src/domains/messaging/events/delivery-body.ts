import type { Db } from '../../../platform/db/database.ts'
import { isGovernanceEvent } from '../../../shared/governance-event.ts'
import { toSlack, toTeams } from '../../notifications/chat-formats.ts'
import { type EventMessage, type GovernanceEvent, messageOf, sentPayload, urlOf } from '../../notifications/event-message.ts'
import { findNames } from '../../notifications/find-names.ts'
import type { ClaimedDelivery } from './delivery-queue.ts'
import type { WebhookFormat } from './webhook.ts'

type Event = Pick<ClaimedDelivery, 'id' | 'workspaceId' | 'type' | 'format' | 'happenedAt' | 'payload'>

interface Deps {
  readonly db: Db
  /** GATEHOUSE_PUBLIC_URL; undefined: messages have no links. */
  readonly publicUrl: string | undefined
}

/** The body of a delivery, in the format of its webhook. Names and times are those of the attempt. */
export async function deliveryBody(event: Event, now: Date, { db, publicUrl }: Deps): Promise<string> {
  const { id, type, format, happenedAt, payload } = event
  if (!isGovernanceEvent(type)) return standardBody({ id, type, happenedAt }, payload)
  const governance: GovernanceEvent = { workspaceId: event.workspaceId, type, payload: JSON.parse(payload) }
  if (format === 'standard') {
    const withUrl = { ...sentPayload(governance.payload), url: urlOf(governance, publicUrl) }
    return standardBody({ id, type, happenedAt }, JSON.stringify(withUrl))
  }
  return chatBody(format, messageOf(governance, { names: await findNames(db, governance), now, publicUrl }))
}

/** The body of Standard Webhooks: `{id, type, timestamp, payload}`. `payload`: JSON. */
function standardBody({ id, type, happenedAt }: Pick<Event, 'id' | 'type' | 'happenedAt'>, payload: string): string {
  const fields = JSON.stringify({ id, type, timestamp: happenedAt.toISOString() })
  return `${fields.slice(0, -1)},"payload":${payload}}`
}

const chatBody = (format: Exclude<WebhookFormat, 'standard'>, message: EventMessage): string =>
  JSON.stringify(format === 'slack' ? toSlack(message) : toTeams(message))

/** The body of a test, which is no event of the Workspace. */
export function testBody(id: string, format: WebhookFormat, now: Date): string {
  if (format === 'standard') return standardBody({ id, type: 'webhook.test', happenedAt: now }, '{"object":"webhook_test"}')
  const facts = ['Reviews, policies, keys and budgets are announced here']
  return chatBody(format, { title: 'Test message from Gatehouse', facts, button: '', url: null })
}
