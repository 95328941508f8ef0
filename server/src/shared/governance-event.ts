/** Webhooks and operators receive them, members of the messaging API do not. Payloads never hold content of requests. */
export const GOVERNANCE_EVENT_TYPES = [
  'review.created',
  'review.assigned',
  'review.decided',
  'review.overdue',
  'review.expired',
  'policy.published',
  'key.created',
  'key.rotated',
  'key.revoked',
  'key.expiring',
  'budget.alert',
  'provider.failing',
] as const
export type GovernanceEventType = (typeof GOVERNANCE_EVENT_TYPES)[number]

export const isGovernanceEvent = (type: string): type is GovernanceEventType =>
  (GOVERNANCE_EVENT_TYPES as readonly string[]).includes(type)

/** Times are ISO 8601 in UTC, ids TypeIDs. */
export interface ReviewPayload {
  readonly id: string
  readonly object: 'review_item'
  readonly kind: 'hold' | 'escalation'
  readonly state: string
  /** null: a message of the messaging API. */
  readonly application_id: string | null
  readonly message_id: string | null
  readonly endpoint: string
  readonly point: string
  readonly rules: readonly string[]
  readonly classification: string
  readonly risk_level: string
  readonly audit_id: string
  readonly assigned_to: string | null
  /** The absent operator whose delegate `assigned_to` is. */
  readonly assigned_for: string | null
  readonly required_approvals: number
  readonly decided_by: string | null
  readonly decided_at: string | null
  readonly created_at: string
  readonly expires_at: string
}

export interface PolicyPayload {
  readonly id: string
  readonly object: 'policy_set'
  readonly name: string
  readonly version: number
  readonly sha256: string
  readonly rolled_back: boolean
  /** Id of the operator or admin token; `gatehouse`: the configuration file. */
  readonly published_by: string
}

export interface KeyPayload {
  readonly id: string
  readonly object: 'api_key'
  readonly name: string
  readonly application_id: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly replaced_by: string | null
}

export interface BudgetPayload {
  readonly id: string
  readonly object: 'budget_alert'
  readonly name: string
  readonly scope: 'workspace' | 'application' | 'team' | 'key' | 'user' | 'department' | 'claim'
  /** Empty: the whole Workspace, or the requests that name no member. null: a user, or a value of a claim, which receivers do not get. */
  readonly member: string | null
  readonly fraction: number
  readonly unit: 'usd' | 'tokens'
  readonly limit: number
  readonly spent: number
  readonly window_starts_at: string
  readonly resets_at: string
}

export interface ProviderPayload {
  readonly id: string
  readonly object: 'provider'
  /** The outcome of the attempt; `unavailable`: its breaker stays open. */
  readonly reason: 'key_rejected' | 'quota_exhausted' | 'model_not_found' | 'unavailable'
  readonly failing_since: string
}

export type GovernancePayload = ReviewPayload | PolicyPayload | KeyPayload | BudgetPayload | ProviderPayload
