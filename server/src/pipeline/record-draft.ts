import type { KeyedHasher } from '../domains/audit/record/hashes.ts'
import type { AuditDraft, Feature } from '../domains/audit/record/record.ts'
import type { StoredMemory } from '../domains/memory/capture.ts'
import type { ErrorCode } from '../errors.ts'
import type { Decision } from '../shared/decision.ts'
import type { FindingCounts } from '../shared/finding.ts'
import { collectTexts } from '../shared/message.ts'
import { USD_SCALE } from '../shared/spending.ts'
import { NOTHING_UNREAD, type Unread } from '../shared/unread.ts'
import type { Charge } from './charge.ts'
import type { ResponseChange } from './record-changes.ts'
import type { IncomingRequest } from './request.ts'
import { decisionOf, responseInputOf, type StageResults, transformsOf } from './stage-results.ts'
import type { StageTrace } from './stage-trace.ts'

export interface RecordedChanges {
  readonly review: { readonly id: string; readonly state: string; readonly expiresAt?: Date } | null
  readonly remembered: readonly StoredMemory[]
}

export interface RecordedResponse extends RecordedChanges {
  readonly status: number
  readonly errorCode: ErrorCode | null
  readonly completionJson: string | undefined
  readonly change: ResponseChange | undefined
  readonly charge: Charge | undefined
}

export interface Sealing {
  readonly createdAt: Date
  readonly hasher: KeyedHasher
  /** Whether a model's name is declared. All other names are text of the client, so a record has their keyed hash (GW-AUD-10). */
  readonly isDeclared: (model: string) => boolean
}

/** From the results of the stages (GW-AUD-2). It contains content only as keyed hashes. Stage 12 itself is recorded as ok. */
export function draftOf(
  incoming: IncomingRequest,
  { authenticate, admit }: Pick<StageResults, 'authenticate' | 'admit'>,
  trace: StageTrace<StageResults>,
  response: RecordedResponse,
  { createdAt, hasher, isDeclared }: Sealing,
): AuditDraft {
  const { application, keyId, operatorId } = authenticate
  const { authorize, retrieve, recall, serviceCalls = [], invoke, inspect, remember } = trace.results
  const decision = decisionOf(trace.results)
  const isChat = incoming.endpoint === 'chat'
  const passages = (isChat ? retrieve?.hits : inspect?.passages) ?? []
  const memories = (isChat ? recall?.hits : inspect?.memories) ?? []
  const policy = authorize?.policy?.version
  const unknown = admit.request.source?.unknown ?? []
  // Keys in the order of RFC 8785, here and below, so that sealing need not sort them.
  return {
    application_id: application.id,
    attempts: [...(invoke?.attempts ?? []), ...(remember?.attempts ?? [])],
    change: null,
    ...chargeFacts(response),
    classification: decision?.classification ?? null,
    created_at: createdAt.toISOString(),
    decision: decision ? decisionOn(decision, trace.results) : null,
    dry_run: admit.request.dryRun,
    duration_ms: rounded(trace.ms),
    endpoint: incoming.endpoint,
    error_code: response.errorCode,
    features: features(incoming, application, admit, trace.results, { hasher, isDeclared }),
    findings: findingsOf(trace.results),
    id: admit.auditId,
    ...(keyId !== '' && { key_id: keyId }),
    knowledge: recordedHits(passages, 'passage', hasher),
    memory: recordedHits(memories, 'memory', hasher),
    object: 'audit_record',
    ...(operatorId && { playground: { operator: hasher.user(operatorId) } }),
    policy_versions: policy ? [policy] : [],
    ...releaseOf(incoming, application),
    remembered: response.remembered.map(({ id, mode, content }) => ({ hash: hasher.text('memory', content), id, mode })),
    request: {
      bytes: admit.bytes,
      ...(unknown.length > 0 && { carried_fields: unknown.length }),
      hash: admit.bytes > 0 ? hasher.text('request', incoming.body) : null,
      messages: admit.request.messages.length,
    },
    response: describeResponse(incoming, trace.results, response, hasher),
    review: response.review && { id: response.review.id, state: response.review.state },
    risk_level: decision?.risk ?? null,
    ...(serviceCalls.length > 0 && { search_services: serviceCalls }),
    stages: trace.stages.map(({ name, outcome, ms }) => ({ ms: rounded(ms), name, outcome: name === 'record' ? 'ok' : outcome })),
    status: response.status,
    ...storedResponseOf(admit, trace.results, response),
    user: userOf(trace.results, hasher),
    workspace_id: application.workspaceId,
  }
}

const chargeFacts = ({ charge }: RecordedResponse): Pick<AuditDraft, 'charge'> =>
  charge ? { charge: { cost: charge.usd / USD_SCALE, estimated: charge.estimated, tokens: charge.tokens } } : {}

/** Whether text has left before the verdict, and how much; only for Applications that allow it (GW-WIN-6). */
function releaseOf(
  { endpoint, early }: IncomingRequest,
  { settings }: StageResults['authenticate']['application'],
): Pick<AuditDraft, 'release'> {
  if (endpoint !== 'chat' || settings.release !== 'windowed') return {}
  const characters = early?.sent.length ?? 0
  return { release: { characters, mode: characters > 0 ? 'windowed' : 'validated' } }
}

function storedResponseOf(
  { continuedId }: StageResults['admit'],
  { authorize }: Partial<StageResults>,
  { change }: RecordedResponse,
): Pick<AuditDraft, 'stored_response'> {
  const read = authorize?.storedResponse?.id
  if (continuedId === undefined && read === undefined && !change) return {}
  return {
    stored_response: {
      ...(continuedId !== undefined && { continued: continuedId }),
      ...(change?.kind === 'delete' && { deleted: change.id }),
      ...(read !== undefined && change?.kind !== 'delete' && { read }),
      ...(change?.kind === 'store' && { stored: change.stored.id }),
    },
  }
}

const decisionOn = ({ directives, rules, verdict }: Decision, results: Partial<StageResults>) => ({
  directives,
  rules,
  transforms: transformsOf(results),
  verdict,
})

const findingsOf = ({ classify, inspect, recall, retrieve }: Partial<StageResults>) => ({
  ...findingsAt('classify', classify?.counts),
  ...findingsAt('inspect', inspect?.counts),
  ...findingsAt('recall', recall?.counts),
  ...findingsAt('retrieve', retrieve?.counts),
})

const userOf = ({ identify }: Partial<StageResults>, hasher: KeyedHasher) => ({
  department: identify?.user.department ?? '',
  id: hasher.user(identify?.user.id ?? ''),
  role: identify?.user.role ?? '',
  verified: identify?.user.verified ?? false,
})

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000

const recordedHits = (
  hits: readonly { readonly id: string; readonly content: string; readonly similarity: number }[],
  of: 'passage' | 'memory',
  hasher: KeyedHasher,
) => hits.map(({ id, content, similarity }) => ({ hash: hasher.text(of, content), id, score: similarity }))

function describeResponse(
  { endpoint }: IncomingRequest,
  { inspect, invoke, route }: Partial<StageResults>,
  { completionJson, errorCode }: RecordedResponse,
  hasher: KeyedHasher,
) {
  if (completionJson !== undefined) {
    const sent = { bytes: Buffer.byteLength(completionJson), hash: hasher.text('answer', completionJson) }
    if (invoke?.embeddings) return { bytes: sent.bytes, embeddings: invoke.embeddings.data.length, hash: sent.hash }
    const choices = inspect?.completion?.choices.length ?? 0
    return { bytes: sent.bytes, choices, hash: sent.hash }
  }
  if (endpoint === 'knowledge_search' || endpoint === 'memory_search') {
    const texts = [...(inspect?.passages ?? []), ...(inspect?.memories ?? [])].map(({ content }) => content)
    if (errorCode !== null) return null
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    return { bytes, hash: hasher.json('hits', texts), hits: texts.length }
  }
  return route && route.models.length > 0 ? { bytes: 0, hash: null, models: route.models.length } : null
}

/** A plain loop, because it runs four times for every request and nearly always finds nothing. */
function findingsAt(stage: string, counts: FindingCounts | undefined) {
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

/** The values of conditions other than content, by their names: another policy can be evaluated on them later. */
function features(
  { endpoint }: IncomingRequest,
  { name, defaultModel }: StageResults['authenticate']['application'],
  { request, tokens, priced = true }: StageResults['admit'],
  { identify, classify, invoke, inspect }: Partial<StageResults>,
  { hasher, isDeclared }: Pick<Sealing, 'hasher' | 'isDeclared'>,
): Record<string, Feature> {
  const model = request.model || (defaultModel ?? '')
  const named = (name: string) => (name === '' || isDeclared(name) ? name : hasher.text('model', name))
  const outputContext = inspect?.outputContext
  // A repeated completion and one of a failed request have no output context: no output policy was evaluated.
  const completion = inspect?.completion ?? invoke?.completion
  const response = outputContext
    ? outputContext.response
    : completion && responseInputOf(completion, invoke?.provider ?? '', collectTexts(completion.choices))
  return {
    'application.name': name,
    ...(classify && {
      'content.classification': classify.classification,
      'content.risk_level': classify.risk,
      ...unreadAt('content', classify.unread),
    }),
    ...(outputContext && {
      'output.content.classification': outputContext.classification,
      'output.content.risk_level': outputContext.riskLevel,
      ...unreadAt('output.content', outputContext.unread ?? NOTHING_UNREAD),
    }),
    'request.endpoint': endpoint,
    'request.max_tokens': request.maxTokens ?? 0,
    'request.message_count': request.messages.length,
    'request.model': named(model),
    'request.priced': priced,
    'request.session': identify?.sessionId ? hasher.text('session', identify.sessionId) : '',
    'request.stream': request.stream,
    'request.tokens': tokens,
    ...(response && {
      'response.finish_reason': response.finishReason,
      'response.model': named(response.model),
      'response.provider': response.provider,
      'response.tokens': response.tokens,
    }),
  }
}

const unreadAt = (content: 'content' | 'output.content', { count, bytes, kinds }: Unread) => ({
  [`${content}.unread`]: count,
  [`${content}.unread_bytes`]: bytes,
  [`${content}.unread_kinds`]: kinds,
})
