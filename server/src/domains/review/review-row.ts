import { type Selectable, sql } from 'kysely'
import { toId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { parseFree } from '../../shared/free-json.ts'
import { type ReviewItem, type ReviewState, stateAt } from './review.ts'
import type { ReviewItemTable } from './tables.ts'

/** All columns except the sealed ones, which can hold a megabyte. */
export const ITEM_COLUMNS = [
  'id',
  'workspace_id',
  'application_id',
  'message_id',
  'kind',
  'state',
  'point',
  'endpoint',
  'user_id',
  'session_id',
  'request_hash',
  'rules',
  'findings',
  'classification',
  'risk_level',
  'policy',
  'model',
  'audit_id',
  'released_audit_id',
  'successor_id',
  'created_at',
  'expires_at',
  'decided_by',
  'decided_at',
  'comment',
  'release_started_at',
  'released_at',
  'key_id',
  'key_issuers',
  'assigned_to',
  'assigned_for',
  'required_approvals',
  'approvals',
] as const satisfies readonly (keyof ReviewItemTable)[]

export type ItemRow = Pick<Selectable<ReviewItemTable>, (typeof ITEM_COLUMNS)[number]>

/** New `state` of an item that expires: a pending or approved item becomes expired, a final state stays. */
export const expireIfOpen = sql<ReviewState>`case when state in ('pending', 'approved') then 'expired' else state end`

export function toItem(row: ItemRow, now: Date): ReviewItem {
  return {
    id: toId('rev', row.id),
    kind: row.kind,
    state: stateAt({ state: row.state, expiresAt: row.expires_at }, now),
    workspaceId: toId('ws', row.workspace_id),
    applicationId: row.application_id && toId('app', row.application_id),
    messageId: row.message_id && toId('msg', row.message_id),
    userId: row.user_id,
    sessionId: row.session_id,
    endpoint: row.endpoint,
    point: row.point,
    rules: row.rules,
    classification: row.classification,
    riskLevel: row.risk_level,
    findings: row.findings,
    requestHash: row.request_hash,
    policy: row.policy,
    model: row.model,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    comment: row.comment,
    auditId: toId('aud', row.audit_id),
    releasedAt: row.released_at,
    releasedAuditId: row.released_audit_id && toId('aud', row.released_audit_id),
    successorId: row.successor_id && toId('rev', row.successor_id),
    keyId: row.key_id && toId('key', row.key_id),
    keyIssuers: row.key_issuers,
    assignedTo: row.assigned_to,
    assignedFor: row.assigned_for,
    requiredApprovals: row.required_approvals,
    approvals: row.approvals,
  }
}

export const reviewContext = (id: string, part: 'content' | 'result'): string => `${id} ${part}`

/** Encrypts JSON for one item and column; copied to another item or column it cannot be decrypted. */
export const seal = (box: SecretBox, id: string, part: 'content' | 'result', value: unknown): Buffer =>
  box.seal(JSON.stringify(value), reviewContext(id, part))

/** Throws if the bytes were changed, moved or sealed under another key. */
export const unseal = <T>(box: SecretBox, id: string, part: 'content' | 'result', sealed: Uint8Array): T =>
  parseFree(box.open(sealed, reviewContext(id, part))) as T
