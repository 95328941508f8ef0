import type { GovernanceEventType, GovernancePayload } from '../../shared/governance-event.ts'
import type { Scope } from '../../shared/scope.ts'

export const NOTIFICATION_TOPICS = [
  'holds',
  'escalations',
  'assigned',
  'overdue',
  'budgets',
  'policies',
  'keys',
  'providers',
] as const
export type NotificationTopic = (typeof NOTIFICATION_TOPICS)[number]

/** The scope that an operator needs in the Workspace of the event. */
export const SCOPE_OF: Readonly<Record<NotificationTopic, Scope>> = {
  holds: 'reviews:read',
  escalations: 'reviews:read',
  assigned: 'reviews:read',
  overdue: 'reviews:read',
  budgets: 'applications:read',
  policies: 'policies:read',
  keys: 'applications:read',
  providers: 'providers:read',
}

const TOPICS: Partial<Record<GovernanceEventType, NotificationTopic>> = {
  'review.assigned': 'assigned',
  'review.overdue': 'overdue',
  'budget.alert': 'budgets',
  'policy.published': 'policies',
  'key.expiring': 'keys',
  'provider.failing': 'providers',
}

export const MAILED_TYPES: readonly string[] = ['review.created', ...Object.keys(TOPICS)]

/** Undefined: the event is not sent by e-mail. */
export function topicOf(type: GovernanceEventType, payload: GovernancePayload): NotificationTopic | undefined {
  if (type === 'review.created' && payload.object === 'review_item') return payload.kind === 'hold' ? 'holds' : 'escalations'
  return TOPICS[type]
}

/** An assignment concerns only its assignee, a publication everyone but its author. `authorId`: the operator responsible for the publication. */
export function concerns(
  payload: GovernancePayload,
  topic: NotificationTopic,
  { operatorId, authorId }: { readonly operatorId: string; readonly authorId: string | undefined },
): boolean {
  if (topic === 'assigned') return payload.object === 'review_item' && payload.assigned_to === operatorId
  return authorId !== operatorId
}
