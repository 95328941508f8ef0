import { sumOf } from '../../../shared/usage.ts'
import type { AuditRecord } from '../record/record.ts'

/** Source of the classes, profiles and numbers below: https://github.com/ocsf/ocsf-schema/releases/tag/1.8.0 */
export const OCSF_VERSION = '1.8.0'

const APPLICATION_ACTIVITY = 6
const API_ACTIVITY = 6003
const CREATE = { id: 1, name: 'Create' }
const READ = { id: 2, name: 'Read' }
const UPDATE = { id: 3, name: 'Update' }
const DELETE = { id: 4, name: 'Delete' }

const READING_ENDPOINTS: ReadonlySet<string> = new Set(['models', 'knowledge_search', 'memory_search', 'audit'])
const SEVERITIES = { low: 1, medium: 3, high: 4, critical: 5 } as const
const RISK_LEVELS = { low: 1, medium: 2, high: 3, critical: 4 } as const

/** Actions and dispositions of the profile `security_control`. */
const ALLOWED = { action_id: 1, action: 'Allowed', disposition_id: 1, disposition: 'Allowed' }
const ALERTED = { action_id: 1, action: 'Allowed', disposition_id: 19, disposition: 'Alert' }
const APPROVED = { action_id: 1, action: 'Allowed', disposition_id: 8, disposition: 'Approved' }
const DELAYED = { action_id: 0, action: 'Unknown', disposition_id: 14, disposition: 'Delayed' }
const BLOCKED = { action_id: 2, action: 'Denied', disposition_id: 2, disposition: 'Blocked' }

export function toOcsf(record: AuditRecord, version: string): Record<string, unknown> {
  const { created_at, status, error_code, endpoint, application_id, workspace_id, risk_level, change } = record
  const activity = activityOf(record)
  const operation = change?.action ?? endpoint
  const control = controlOf(record)
  const isSuccess = status < 400
  return {
    activity_id: activity.id,
    activity_name: activity.name,
    category_uid: APPLICATION_ACTIVITY,
    class_uid: API_ACTIVITY,
    type_uid: API_ACTIVITY * 100 + activity.id,
    time: Date.parse(created_at),
    duration: Math.round(record.duration_ms),
    severity_id: risk_level === null ? SEVERITIES.low : SEVERITIES[risk_level],
    status_id: isSuccess ? 1 : 2,
    status: isSuccess ? 'Success' : 'Failure',
    status_code: String(status),
    ...(error_code !== null && { status_detail: error_code }),
    message: `${operation}: ${control?.disposition ?? (isSuccess ? 'done' : 'failed')}`,
    metadata: metadataOf(record, version),
    actor: actorOf(record),
    api: { operation, service: { name: 'Gatehouse' }, request: { uid: record.id }, response: { code: status } },
    http_response: { code: status },
    // Records hold no addresses: the source is the Application that called.
    src_endpoint: { uid: application_id ?? workspace_id, name: change ? 'operator' : 'application' },
    ...(change && { resources: [{ type: change.object_type, uid: change.object_id }] }),
    ...control,
    is_alert: control === BLOCKED || control === ALERTED,
    ...(risk_level !== null && { risk_level_id: RISK_LEVELS[risk_level], risk_level }),
    ...policyOf(record),
    ...modelOf(record),
    unmapped: unmappedOf(record),
  }
}

function activityOf({ endpoint, change }: AuditRecord) {
  if (!change) return READING_ENDPOINTS.has(endpoint) ? READ : CREATE
  const verb = change.action.split('.').at(-1) ?? ''
  if (/^(create|issue|invite|add|upload)/.test(verb)) return CREATE
  if (/^(delete|remove|revoke|erase|prune)/.test(verb)) return DELETE
  return /^(read|export|list)/.test(verb) ? READ : UPDATE
}

function controlOf({ decision, status, review }: AuditRecord) {
  if (!decision) return undefined
  if (decision.verdict === 'deny') return BLOCKED
  if (decision.verdict === 'escalate') return ALERTED
  if (decision.verdict === 'allow') return ALLOWED
  return status < 400 && review ? APPROVED : DELAYED
}

const metadataOf = ({ id, workspace_id, created_at, integrity }: AuditRecord, version: string) => ({
  version: OCSF_VERSION,
  profiles: ['security_control', 'ai_operation'],
  product: { name: 'Gatehouse', vendor_name: 'Gatehouse', version },
  uid: id,
  tenant_uid: workspace_id,
  sequence: integrity.sequence,
  log_name: 'audit',
  original_time: created_at,
})

/** The user is a keyed hash. */
const actorOf = ({ user, application_id }: AuditRecord) => ({
  ...(user.id !== null && { user: { uid: user.id, ...(user.role !== '' && { type: user.role }) } }),
  app_name: application_id === null ? 'Gatehouse' : 'application',
  ...(application_id !== null && { app_uid: application_id }),
})

function policyOf({ policy_versions: [policy] }: AuditRecord) {
  if (!policy) return {}
  const { name, ...version } = policy
  return { policy: { ...(name !== undefined && { name }), uid: JSON.stringify(version) } }
}

function modelOf({ attempts }: AuditRecord) {
  const last = attempts.at(-1)
  if (!last) return {}
  const [prompt, completion] = [sumOf(attempts, 'prompt_tokens'), sumOf(attempts, 'completion_tokens')]
  return {
    ai_model: { name: last.model, ai_provider: last.provider },
    message_context: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  }
}

/** Facts that OCSF has no attribute for. */
const unmappedOf = ({ classification, findings, decision, user, review, stored_response, dry_run, integrity }: AuditRecord) => ({
  classification,
  findings,
  rules: decision?.rules ?? [],
  transforms: decision?.transforms ?? [],
  user_verified: user.verified,
  department: user.department,
  review,
  ...(stored_response && { stored_response }),
  dry_run,
  hash: integrity.hash,
})

/** `gatehouse`: the record as stored. `ocsf`: an event of the Open Cybersecurity Schema Framework. */
export const FEED_FORMATS = ['gatehouse', 'ocsf'] as const
export type FeedFormat = (typeof FEED_FORMATS)[number]

export const isFeedFormat = (text: string): text is FeedFormat => FEED_FORMATS.some((format) => format === text)

export const formatRecord = (record: AuditRecord, format: FeedFormat, version: string): AuditRecord | Record<string, unknown> =>
  format === 'gatehouse' ? record : toOcsf(record, version)
