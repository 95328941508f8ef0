import type {
  BudgetPayload,
  GovernanceEventType,
  GovernancePayload,
  KeyPayload,
  PolicyPayload,
  ProviderPayload,
  ReviewPayload,
} from '../../shared/governance-event.ts'
import { neutralize } from './neutralize.ts'

export interface EventMessage {
  readonly title: string
  readonly facts: readonly string[]
  readonly button: string
  /** The page of the dashboard; null: GATEHOUSE_PUBLIC_URL is not set. */
  readonly url: string | null
}

export interface EventNames {
  readonly application: string | undefined
  readonly actors: ReadonlyMap<string, string>
}

export interface GovernanceEvent {
  readonly workspaceId: string
  readonly type: GovernanceEventType
  readonly payload: GovernancePayload
}

interface Given {
  readonly names: EventNames
  readonly now: Date
  readonly publicUrl: string | undefined
}

type Text = Pick<EventMessage, 'title' | 'facts' | 'button'>

export function messageOf(event: GovernanceEvent, { names, now, publicUrl }: Given): EventMessage {
  const { title, facts, button } = textOf(event, names, now)
  return { title: neutralize(title), facts: facts.map(neutralize), button, url: urlOf(event, publicUrl) }
}

/** Scopes of budgets whose members are no persons. */
const IMPERSONAL: readonly (string | undefined)[] = [
  'workspace',
  'application',
  'key',
  'department',
] satisfies BudgetPayload['scope'][]

/** The payload as it is sent. The dashboard shows which user or claim an alert is about: receivers are outside of its access control. */
export const sentPayload = (payload: GovernancePayload): GovernancePayload =>
  payload.object !== 'budget_alert' || payload.member === '' || IMPERSONAL.includes(payload.scope)
    ? payload
    : { ...payload, member: null }

export function urlOf({ workspaceId, payload }: GovernanceEvent, publicUrl: string | undefined): string | null {
  return dashboardUrl(publicUrl, pathOf(payload), workspaceId)
}

export const dashboardUrl = (publicUrl: string | undefined, path: string, workspaceId?: string): string | null =>
  publicUrl === undefined ? null : `${publicUrl}/dashboard${path}${workspaceId === undefined ? '' : `?workspace=${workspaceId}`}`

const PAGES = {
  ...{ review_item: 'reviews', policy_set: 'policies', api_key: 'applications', budget_alert: 'budgets' },
  provider: 'providers',
} as const

const pathOf = (payload: GovernancePayload): string =>
  `/${PAGES[payload.object]}/${payload.object === 'api_key' ? payload.application_id : payload.id}`

function textOf({ type, payload: stored }: GovernanceEvent, names: EventNames, now: Date): Text {
  const payload = sentPayload(stored)
  switch (payload.object) {
    case 'review_item':
      return reviewText(type, payload, names, now)
    case 'policy_set':
      return policyText(payload, names)
    case 'api_key':
      return keyText(type, payload, names, now)
    case 'budget_alert':
      return budgetText(payload)
    case 'provider':
      return providerText(payload)
  }
}

function reviewText(type: string, payload: ReviewPayload, { application, actors }: EventNames, now: Date): Text {
  const thing = payload.application_id === null ? 'message' : payload.point === 'output' ? 'response' : 'request'
  const origin = payload.application_id === null ? '' : ` from ${application ?? 'a deleted Application'}`
  const subject = `${payload.kind === 'hold' ? 'Held' : 'Escalated'} ${thing}${origin}`
  const by = (id: string | null) => actors.get(id ?? '') ?? 'an operator'
  const absent = payload.assigned_for ? ` for ${by(payload.assigned_for)}, who is away` : ''
  const titles: Readonly<Record<string, string>> = {
    'review.created': `${subject} needs ${payload.kind === 'hold' ? 'a decision' : 'attention'}`,
    'review.assigned': `${subject} is assigned to ${by(payload.assigned_to)}${absent}`,
    'review.decided': `${subject} was ${payload.state} by ${by(payload.decided_by)}`,
    'review.overdue': `${subject} is overdue`,
    'review.expired': `${subject} expired ${payload.decided_by === null ? 'without a decision' : 'before it was sent again'}`,
  }
  const facts = [
    ...(payload.rules.length > 0 ? [`${payload.rules.length === 1 ? 'Rule' : 'Rules'} ${payload.rules.join(', ')}`] : []),
    `${payload.risk_level} risk`,
    payload.classification,
    ...(payload.state === 'pending' ? [`expires in ${duration(payload.expires_at, now)}`] : []),
  ]
  return { title: titles[type] ?? subject, facts, button: 'Open review' }
}

function policyText({ name, version, rolled_back, published_by }: PolicyPayload, { actors }: EventNames): Text {
  const by = published_by === 'gatehouse' ? 'the configuration file' : (actors.get(published_by) ?? 'an operator')
  const title = rolled_back
    ? `Policy ${name} was rolled back by ${by}: version ${version} is active`
    : `Policy ${name} version ${version} was published by ${by}`
  return { title, facts: ['It applies to all new requests'], button: 'Open policy' }
}

function keyText(type: string, payload: KeyPayload, { application }: EventNames, now: Date): Text {
  const key = `API key ${payload.name} of ${application ?? 'a deleted Application'}`
  const expiry = payload.expires_at === null ? [] : [`expires in ${duration(payload.expires_at, now)}`]
  const texts: Readonly<Record<string, Pick<Text, 'title' | 'facts'>>> = {
    'key.created': { title: `${key} was created`, facts: expiry },
    'key.rotated': { title: `${key} was replaced by a new key`, facts: expiry.map((fact) => `the old key ${fact}`) },
    'key.revoked': { title: `${key} was revoked`, facts: [] },
    'key.expiring': { title: `${key} ${expiry[0]}`, facts: ['Rotate it before, so that requests are not refused'] },
  }
  return { ...(texts[type] ?? { title: key, facts: [] }), button: 'Open Application' }
}

function budgetText({ name, member, fraction, unit, limit, spent, resets_at }: BudgetPayload): Text {
  const amount = (value: number) => (unit === 'usd' ? `$${value.toFixed(2)}` : `${value.toLocaleString('en-US')} tokens`)
  return {
    title: `Budget ${name}${member === '' ? '' : ` of ${member ?? 'a member'}`} has reached ${Math.round(fraction * 100)} %`,
    facts: [`${amount(spent)} of ${amount(limit)} used`, `resets on ${resets_at.slice(0, 10)}`],
    button: 'Open budget',
  }
}

const FAILURES: Readonly<Record<ProviderPayload['reason'], readonly [title: string, remedy: string]>> = {
  key_rejected: ['rejects its key', 'Set a valid key'],
  quota_exhausted: ['has no credit left', 'Check the account at the provider'],
  model_not_found: ['does not have one of its models', 'Check the names of its models'],
  unavailable: ['does not respond, or responds with errors', 'Test the connection'],
}

function providerText({ id, reason }: ProviderPayload): Text {
  const [title, remedy] = FAILURES[reason]
  const facts = [remedy, 'Requests go to other providers of its models, or fail']
  return { title: `Provider ${id} ${title}`, facts, button: 'Open provider' }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `45 min`, `2 h`, `6 days`: the time until `end`, rounded up to a minute and otherwise down. */
function duration(end: string, now: Date): string {
  const ms = Math.max(0, Date.parse(end) - now.getTime())
  if (ms < HOUR_MS) return `${Math.ceil(ms / MINUTE_MS)} min`
  return ms < 2 * DAY_MS ? `${Math.round(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} days`
}
