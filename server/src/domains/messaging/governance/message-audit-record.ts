import { ERRORS, type ErrorCode } from '../../../errors.ts'
import { STAGES } from '../../../pipeline/endpoints.ts'
import type { KeyedHasher } from '../../audit/record/hashes.ts'
import type { AuditDraft } from '../../audit/record/record.ts'
import type { TextDecision } from './text-decision.ts'

/** The outcome of the request that submitted the texts. */
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
  const findings = Object.entries(scanned.counts).filter(([, count]) => count > 0)
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
    findings: findings.length > 0 ? { classify: Object.fromEntries(findings) } : {},
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

const roundMs = (ms: number): number => Math.round(ms * 1_000) / 1_000

const durationOf = (stage: string, ms: TextDecision['ms']): number =>
  stage === 'classify' ? ms.classify : stage === 'authorize' ? ms.authorize : 0

function outcomeOf(stage: string, error: ErrorCode | undefined): string {
  if (!RUN_STAGES.has(stage)) return 'skipped'
  if (stage !== 'authorize' || error === undefined) return 'ok'
  return 'stopped'
}
