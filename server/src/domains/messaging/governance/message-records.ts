import { ERRORS, type ErrorCode } from '../../../errors.ts'
import { STAGES } from '../../../pipeline/endpoints.ts'
import { newId } from '../../../platform/lib/id.ts'
import type { FindingCounts } from '../../../shared/finding.ts'
import type { KeyedHasher } from '../../audit/record/hashes.ts'
import type { AuditDraft } from '../../audit/record/record.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import { requestHash } from '../../review/request-hash.ts'
import type { NewReview } from '../../review/review-store.ts'
import type { TextDecision } from './text-decision.ts'

export interface RecordOutcome {
  readonly auditId: string
  readonly error?: ErrorCode
  readonly review?: { readonly id: string; readonly state: string }
}

const STATUS = { create: 201, update: 200, react: 200, profile: 200 } as const
const RUN_STAGES: ReadonlySet<string> = new Set(['authenticate', 'admit', 'identify', 'classify', 'authorize', 'record'])

/** The audit record of a decision on texts of messaging. It holds their keyed hash, never the texts. */
export function draftMessageRecord(
  decided: TextDecision,
  { auditId, error, review }: RecordOutcome,
  hasher: KeyedHasher,
): AuditDraft {
  const { submission, policy, scanned, decision, transforms, tokens, ms } = decided
  const { workspaceId, sender, place, change, texts, requestAuditId, now } = submission
  const text = texts.join('\n')
  const findings = foundIn(scanned.counts)
  return {
    application_id: null,
    attempts: [],
    change: null,
    classification: decision.classification,
    created_at: now.toISOString(),
    decision: { directives: decision.directives, rules: decision.rules, transforms, verdict: decision.verdict },
    dry_run: false,
    duration_ms: roundMs(ms.classify + ms.authorize),
    endpoint: 'message',
    error_code: error ?? null,
    features: {
      'content.classification': scanned.classification,
      'content.risk_level': scanned.risk,
      'message.change': change,
      'message.conversation_id': place.id,
      ...(requestAuditId !== undefined && { 'message.exchange': requestAuditId }),
      'message.group': place.groupId ?? '',
      'request.endpoint': 'message',
      'request.tokens': tokens,
    },
    findings: Object.keys(findings).length > 0 ? { classify: findings } : {},
    id: auditId,
    knowledge: [],
    memory: [],
    object: 'audit_record',
    policy_versions: [policy.version],
    remembered: [],
    request: { bytes: Buffer.byteLength(text), hash: hasher.text('message', text), messages: 1 },
    response: null,
    review: review ?? null,
    risk_level: decision.risk,
    stages: STAGES.map((name) => ({ ms: roundMs(durationOf(name, ms)), name, outcome: outcomeOf(name, error) })),
    status: error ? ERRORS[error].status : STATUS[change],
    user: {
      department: sender.department,
      id: hasher.user(sender.id),
      role: sender.role,
      verified: sender.verified,
    },
    workspace_id: workspaceId,
  }
}

const foundIn = (counts: FindingCounts) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

const roundMs = (ms: number): number => Math.round(ms * 1_000) / 1_000

const durationOf = (stage: string, ms: TextDecision['ms']): number =>
  stage === 'classify' ? ms.classify : stage === 'authorize' ? ms.authorize : 0

function outcomeOf(stage: string, error: ErrorCode | undefined): string {
  if (!RUN_STAGES.has(stage)) return 'skipped'
  if (stage !== 'authorize' || error === undefined) return 'ok'
  return 'stopped'
}

/** The name of a message in a review item that has the text of a file. */
export const FILE = 'file'

/** The review item of texts. `bound`: values that, together with the texts, identify an identical submission (GW-REV-11). */
export function newMessageReview(
  { submission, policy, decision, scanned, fileTexts }: TextDecision,
  auditId: string,
  { binding }: Pick<WorkspaceKeys, 'binding'>,
  bound: Readonly<Record<string, unknown>> = {},
): NewReview {
  const { sender, place, messageId, texts, now } = submission
  return {
    id: newId('rev'),
    userId: sender.id,
    sessionId: place.id || null,
    endpoint: 'message',
    point: 'message',
    rules: decision.rules.filter((rule) => rule.verdict === decision.verdict),
    classification: decision.classification,
    riskLevel: decision.risk,
    findings: foundIn(scanned.counts),
    requestHash: requestHash(binding, {
      applicationId: null,
      userId: sender.id,
      // All members are verified, so the hash does not depend on it.
      isVerified: false,
      sessionId: place.id,
      request: { texts, ...bound },
    }),
    policy: policy.version,
    model: null,
    createdAt: now,
    auditId,
    lifetimeMs: decision.holdExpiresInMs,
    requiredApprovals: decision.approvals,
    messageId: messageId || undefined,
    content: {
      messages: [
        ...texts.map((content) => ({ role: 'user' as const, content })),
        ...fileTexts.map((text) => ({ role: 'user' as const, name: FILE, content: text.toWellFormed() })),
      ],
    },
  }
}
