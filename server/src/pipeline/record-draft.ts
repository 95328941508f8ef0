import type { KeyedHasher } from '../audit/hashes.ts'
import type { AuditDraft, Feature } from '../audit/record.ts'
import type { FindingCounts } from '../domain/finding.ts'
import { estimateTokens } from '../domain/message.ts'
import type { ErrorCode } from '../errors.ts'
import { decisionOf, type Facts, transformsOf } from './facts.ts'
import type { Exchange } from './request.ts'
import type { Trail } from './trail.ts'

/** The answer as the record describes it. */
export interface Answered {
  readonly status: number
  readonly errorCode: ErrorCode | null
  /** Text of the completion, as JSON; undefined when none leaves. */
  readonly completionJson: string | undefined
  readonly review: { readonly id: string; readonly state: string } | null
}

type Recorded = Trail<Facts> & {
  readonly facts: { readonly authenticate?: Facts['authenticate']; readonly admit?: Facts['admit'] }
}

/** Names that cannot be mistaken for prose; a model called anything else is recorded by its hash. */
const PLAIN_NAME = /^[\w./:@+-]{0,100}$/

/**
 * The record of one exchange (decisions.md §2.9), from what its stages found out. Content enters only as the
 * keyed hash of a text. Of its own stage the record can only say that it was reached.
 */
export function draftOf(
  exchange: Exchange,
  { application, admit }: { application: Facts['authenticate']['application']; admit: Facts['admit'] },
  trail: Recorded,
  answer: Answered,
  { createdAt, hasher }: { createdAt: Date; hasher: KeyedHasher },
): AuditDraft {
  const { identify, classify, authorize, retrieve, recall, invoke, inspect, remember } = trail.facts
  const decision = decisionOf(trail.facts)
  const user = identify?.user
  const policy = authorize?.policy?.version
  return {
    id: admit.auditId,
    object: 'audit_record',
    workspace_id: application.workspaceId,
    application_id: application.id,
    endpoint: exchange.endpoint,
    created_at: createdAt.toISOString(),
    duration_ms: rounded(trail.ms),
    status: answer.status,
    error_code: answer.errorCode,
    user: {
      id: hasher.user(user?.id ?? ''),
      verified: user?.verified ?? false,
      role: user?.role ?? '',
      department: user?.department ?? '',
    },
    request: {
      hash: admit.bytes > 0 ? hasher.text(exchange.body) : null,
      bytes: admit.bytes,
      messages: admit.request.messages.length,
    },
    response: responseFacts(trail.facts, answer, hasher),
    stages: trail.stages.map(({ name, outcome, ms }) => ({ name, outcome: name === 'record' ? 'ok' : outcome, ms: rounded(ms) })),
    findings: { ...found('classify', classify?.counts), ...found('inspect', inspect?.counts) },
    classification: decision?.classification ?? null,
    risk_level: decision?.risk ?? null,
    decision: decision
      ? {
          verdict: decision.verdict,
          transforms: transformsOf(trail.facts),
          directives: decision.directives,
          rules: decision.rules,
        }
      : null,
    policy_versions: policy ? [policy] : [],
    attempts: invoke?.attempts ?? [],
    knowledge: (retrieve ?? []).map(({ id }) => id),
    memory: [...(recall ?? []).map(({ id }) => id), ...(remember?.ids ?? [])],
    review: answer.review,
    dry_run: admit.request.dryRun,
    features: features(exchange, application, admit, trail.facts, hasher),
    change: null,
  }
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000

function responseFacts({ inspect, route }: Partial<Facts>, { completionJson }: Answered, hasher: KeyedHasher) {
  if (completionJson !== undefined) {
    const choices = inspect?.completion?.choices.length ?? 0
    return { hash: hasher.text(completionJson), bytes: Buffer.byteLength(completionJson), choices }
  }
  return route && route.models.length > 0 ? { hash: null, bytes: 0, models: route.models.length } : null
}

function found(stage: string, counts: FindingCounts | undefined) {
  const present = Object.entries(counts ?? {}).filter(([, count]) => count > 0)
  return present.length > 0 ? { [stage]: Object.fromEntries(present) } : {}
}

/** What conditions looked at, by the names they use, where it is not content: enough to ask another policy the same. */
function features(
  { endpoint }: Exchange,
  { name, defaultModel }: Facts['authenticate']['application'],
  { request, tokens }: Facts['admit'],
  { identify, classify, invoke, inspect }: Partial<Facts>,
  hasher: KeyedHasher,
): Record<string, Feature> {
  const model = request.model || (defaultModel ?? '')
  const completion = inspect?.completion ?? invoke?.completion
  return {
    'application.name': name,
    'request.endpoint': endpoint,
    'request.model': PLAIN_NAME.test(model) ? model : hasher.text(model),
    'request.session': identify?.sessionId ? hasher.text(identify.sessionId) : '',
    'request.stream': request.stream,
    'request.message_count': request.messages.length,
    'request.tokens': tokens,
    'request.max_tokens': request.maxTokens ?? 0,
    ...(classify && { 'content.classification': classify.classification, 'content.risk_level': classify.risk }),
    ...(completion && {
      'response.model': PLAIN_NAME.test(completion.model) ? completion.model : hasher.text(completion.model),
      'response.provider': invoke?.provider ?? '',
      'response.finish_reason': completion.choices[0]?.finish_reason ?? '',
      'response.tokens': completion.usage?.completion_tokens ?? estimateTokens([]),
    }),
  }
}
