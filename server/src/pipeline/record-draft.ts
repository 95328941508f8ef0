import type { KeyedHasher } from '../audit/hashes.ts'
import type { AuditDraft, Feature } from '../audit/record.ts'
import type { Completion } from '../domain/completion.ts'
import type { FindingCounts } from '../domain/finding.ts'
import { collectTexts, estimateTokens } from '../domain/message.ts'
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
  readonly remembered: readonly StoredMemory[]
}

/** A memory as it was written: under the id of an older one with the same content, if there was one. */
export interface StoredMemory {
  readonly id: string
  readonly mode: 'active' | 'audit_only'
  readonly content: string
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
  const { authenticate, identify, classify, authorize, retrieve, recall, invoke, inspect, remember } = trail.facts
  const decision = decisionOf(trail.facts)
  const user = identify?.user
  const isChat = exchange.endpoint === 'chat'
  const passages = (isChat ? retrieve?.hits : inspect?.passages) ?? []
  const memories = (isChat ? recall?.hits : inspect?.memories) ?? []
  const policy = authorize?.policy?.version
  // Keys in the order of RFC 8785, here and below: what is in order need not be put in order to be sealed.
  return {
    application_id: application.id,
    attempts: [...(invoke?.attempts ?? []), ...(remember?.attempts ?? [])],
    change: null,
    classification: decision?.classification ?? null,
    created_at: createdAt.toISOString(),
    decision: decision
      ? {
          directives: decision.directives,
          rules: decision.rules,
          transforms: transformsOf(trail.facts),
          verdict: decision.verdict,
        }
      : null,
    dry_run: admit.request.dryRun,
    duration_ms: rounded(trail.ms),
    endpoint: exchange.endpoint,
    error_code: answer.errorCode,
    features: features(exchange, application, admit, trail.facts, hasher),
    findings: {
      ...found('classify', classify?.counts),
      ...found('inspect', inspect?.counts),
      ...found('recall', recall?.counts),
      ...found('retrieve', retrieve?.counts),
    },
    id: admit.auditId,
    knowledge: used(passages, 'passage', hasher),
    memory: used(memories, 'memory', hasher),
    object: 'audit_record',
    ...(authenticate?.playedBy && { playground: { operator: hasher.user(authenticate.playedBy) } }),
    policy_versions: policy ? [policy] : [],
    remembered: answer.remembered.map(({ id, mode, content }) => ({ hash: hasher.text('memory', content), id, mode })),
    request: {
      bytes: admit.bytes,
      hash: admit.bytes > 0 ? hasher.text('request', exchange.body) : null,
      messages: admit.request.messages.length,
    },
    response: responseFacts(exchange, trail.facts, answer, hasher),
    review: answer.review,
    risk_level: decision?.risk ?? null,
    stages: trail.stages.map(({ name, outcome, ms }) => ({ ms: rounded(ms), name, outcome: name === 'record' ? 'ok' : outcome })),
    status: answer.status,
    user: {
      department: user?.department ?? '',
      id: hasher.user(user?.id ?? ''),
      role: user?.role ?? '',
      verified: user?.verified ?? false,
    },
    workspace_id: application.workspaceId,
  }
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000

/** Hits that were shown, or given to a model: which, of what text, how well they fitted. */
const used = (
  hits: readonly { readonly id: string; readonly content: string; readonly similarity: number }[],
  of: 'passage' | 'memory',
  hasher: KeyedHasher,
) => hits.map(({ id, content, similarity }) => ({ hash: hasher.text(of, content), id, score: similarity }))

function responseFacts(
  { endpoint }: Exchange,
  { inspect, route }: Partial<Facts>,
  { completionJson, errorCode }: Answered,
  hasher: KeyedHasher,
) {
  if (completionJson !== undefined) {
    const choices = inspect?.completion?.choices.length ?? 0
    return { bytes: Buffer.byteLength(completionJson), choices, hash: hasher.text('answer', completionJson) }
  }
  if (endpoint === 'knowledge_search' || endpoint === 'memory_search') {
    const texts = [...(inspect?.passages ?? []), ...(inspect?.memories ?? [])].map(({ content }) => content)
    if (errorCode !== null) return null
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    return { bytes, hash: hasher.json('hits', texts), hits: texts.length }
  }
  return route && route.models.length > 0 ? { bytes: 0, hash: null, models: route.models.length } : null
}

/** Nearly always nothing: plain, since it runs four times for every exchange. */
function found(stage: string, counts: FindingCounts | undefined) {
  const present: Record<string, number> = {}
  let isEmpty = true
  for (const type in counts) {
    const count = counts[type as keyof FindingCounts]
    if (count === 0) continue
    present[type] = count
    isEmpty = false
  }
  return isEmpty ? undefined : { [stage]: present }
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
  const plain = (word: string) => (PLAIN_NAME.test(word) ? word : hasher.text('model', word))
  const looked = inspect?.looked
  const response = looked ? looked.response : responseOf(inspect?.completion ?? invoke?.completion, invoke?.provider)
  return {
    'application.name': name,
    ...(classify && {
      'content.classification': classify.classification,
      'content.risk_level': classify.risk,
      'content.unread': classify.unread,
    }),
    ...(looked && {
      'output.content.classification': looked.classification,
      'output.content.risk_level': looked.riskLevel,
      'output.content.unread': looked.unread ?? 0,
    }),
    'request.endpoint': endpoint,
    'request.max_tokens': request.maxTokens ?? 0,
    'request.message_count': request.messages.length,
    'request.model': plain(model),
    'request.session': identify?.sessionId ? hasher.text('session', identify.sessionId) : '',
    'request.stream': request.stream,
    'request.tokens': tokens,
    ...(response && {
      'response.finish_reason': response.finishReason,
      'response.model': plain(response.model),
      'response.provider': response.provider,
      'response.tokens': response.tokens,
    }),
  }
}

/** Of an answer that no policy was asked about: one that leaves again, or came when something else had failed. */
const responseOf = (completion: Completion | undefined, provider = '') =>
  completion && {
    finishReason: completion.choices[0]?.finish_reason ?? '',
    model: completion.model,
    provider,
    tokens: completion.usage?.completion_tokens ?? estimateTokens(collectTexts(completion.choices)),
  }
