import { UNLIMITED } from '../domains/limits/lease.ts'
import type { MemoryDraft } from '../domains/memory/memory.ts'
import { combineDirectives } from '../domains/policy/directives.ts'
import type { Pause } from '../domains/policy/evaluation-limiter.ts'
import { limitMaxTokens } from '../domains/providers/limit-max-tokens.ts'
import type { HoldContent } from '../domains/review/review.ts'
import type { ReviewItem } from '../domains/review/review-row.ts'
import type { Completion } from '../shared/completion.ts'
import { type Outcome, Skipped, type StageReturn, Stop } from '../shared/outcome.ts'
import { ANONYMOUS_USER, type Application } from '../shared/principal.ts'
import { type RouteDeps, withPriced } from './find-candidates.ts'
import { explicitCandidates } from './memory-candidates.ts'
import { EMPTY_REQUEST, withCollectedTexts } from './request.ts'
import { type Authorized, type Inspected, NOT_INVOKED, noHits, type RequestContext, uninspected } from './stage-results.ts'
import { type ClassifyDeps, classify } from './stages/04-classify.ts'
import { type AuthorizeDeps, applyRelease, decideOnInput } from './stages/05-authorize.ts'
import { planRetrieval } from './stages/06-retrieve.ts'
import { planRecall } from './stages/07-recall.ts'
import { findRoute } from './stages/08-route.ts'
import { type InspectDeps, inspect } from './stages/10-inspect.ts'
import { type CapturePlan, decideOnCandidates, planCapture } from './stages/11-remember.ts'

export interface PreviewDeps
  extends ClassifyDeps,
    AuthorizeDeps,
    RouteDeps,
    InspectDeps,
    Pick<Parameters<typeof planRetrieval>[2], 'timeSlices'>,
    PreviewMemoriesDeps {}

export interface HeldItem {
  readonly item: ReviewItem
  readonly content: HoldContent
  readonly application: Application
}

export interface ReleasePreview {
  readonly refusal: Extract<Outcome, { kind: 'refused' }> | undefined
  readonly decision: Authorized['decision'] | undefined
  readonly policy: Authorized['policy']
  /** A held request as the provider would get it, without passages and memories. */
  readonly request: Pick<Authorized, 'messages' | 'parameters'> | undefined
  readonly completion: Completion | undefined
  readonly transforms: readonly string[]
  readonly providers: readonly string[]
  readonly searches: { readonly knowledge: boolean; readonly memory: boolean }
  readonly memories: PreviewedMemories
}

/** Nothing is claimed or stored and no provider is called: the completion of a held request stays unknown. */
export async function previewRelease(held: HeldItem, deps: PreviewDeps, pause: Pause): Promise<ReleasePreview> {
  const context = await contextOf(held, deps)
  const classified = await classify(context.caller, context.admitted, deps)
  if (classified instanceof Stop) return refused(classified)
  if (classified instanceof Skipped) return NOTHING_RELEASED
  await pause()
  const decided = await decideOnInput(context, classified, deps)
  const authorized = applyRelease(releaseOf(held, deps.clock.now()), decided, context, classified, deps)
  await pause()
  if (authorized instanceof Stop) return { ...refused(authorized), ...decisionOf(decided) }
  return held.item.point === 'output'
    ? previewCompletion(held, context, authorized, deps)
    : previewRequest(context, authorized, deps)
}

async function previewRequest(context: RequestContext, authorized: Authorized, deps: PreviewDeps): Promise<ReleasePreview> {
  const route = await findRoute(context, authorized, deps)
  const decision = decisionOf(authorized)
  if (route instanceof Stop) return { ...refused(route), ...decision }
  const candidates = route instanceof Skipped ? [] : route.candidates
  const { messages, parameters, systemTexts, directives, transforms } = authorized
  return {
    ...NOTHING_RELEASED,
    ...decision,
    request: {
      messages: [...systemTexts.map((content) => ({ role: 'system', content })), ...messages],
      parameters: limitMaxTokens(parameters, directives.maxTokens),
    },
    transforms,
    providers: [...new Set(candidates.map(({ provider }) => provider.id))].toSorted(),
    searches: {
      knowledge: planRetrieval(context, authorized, deps) !== undefined,
      memory: planRecall(context, authorized, deps) !== undefined,
    },
    memories: await previewMemories(context, authorized, uninspected(authorized), deps),
  }
}

async function previewCompletion(
  { content: { completion, provider = '' } }: HeldItem,
  context: RequestContext,
  authorized: Authorized,
  deps: PreviewDeps,
): Promise<ReleasePreview> {
  const none = noHits(authorized.decision)
  const outputs = { retrieved: none, recalled: none, invoked: { ...NOT_INVOKED, completion, provider } }
  const returned = await inspect(context, authorized, outputs, deps)
  const inspected = resultOf(returned) ?? uninspected(authorized)
  const decision = { ...decisionOf(authorized), decision: inspected.decision }
  if (returned instanceof Stop) return { ...refused(returned), ...decision }
  return {
    ...NOTHING_RELEASED,
    ...decision,
    completion: inspected.completion,
    transforms: inspected.transforms,
    memories: await previewMemories(context, authorized, inspected, deps),
  }
}

async function contextOf({ item, content, application }: HeldItem, deps: PreviewDeps): Promise<RequestContext> {
  const { messages, parameters = {}, asked } = content
  const { user = { ...ANONYMOUS_USER, id: item.userId }, readers, memoryDisabled, ...others } = asked ?? {}
  const sessionId = item.sessionId ?? ''
  const request = { ...EMPTY_REQUEST, model: item.model ?? '', ...others, messages, parameters, sessionId }
  const admitted = { ...withCollectedTexts(request), auditId: '', bytes: 0, lease: UNLIMITED }
  const caller = { application, keyId: item.keyId ?? '', ...(memoryDisabled && { memoryDisabled }) }
  return {
    incoming: { endpoint: 'chat', clientSignal: () => new AbortController().signal },
    caller,
    admitted: await withPriced({ endpoint: 'chat' }, caller, admitted, deps),
    identity: { user, ...(readers && { readers }), sessionId },
  }
}

/** As if the item were approved and its release claimed. */
const releaseOf = ({ item, content }: HeldItem, startedAt: Date) =>
  ({ kind: 'first', item, content, claim: { id: item.id, startedAt, expiresAt: item.expiresAt } }) as const

const NOTHING_RELEASED: ReleasePreview = {
  refusal: undefined,
  decision: undefined,
  policy: undefined,
  request: undefined,
  completion: undefined,
  transforms: [],
  providers: [],
  searches: { knowledge: false, memory: false },
  memories: { memories: [], leftOut: 0, isExtracted: false },
}

function refused({ outcome }: Stop<unknown>): ReleasePreview {
  // A release is never held again at the same point (10-inspect.ts).
  if (outcome.kind !== 'refused') throw new Error(`a release cannot end as ${outcome.kind}`)
  return { ...NOTHING_RELEASED, refusal: outcome, memories: { ...NOTHING_RELEASED.memories, reason: 'refused' } }
}

const decisionOf = ({ decision, policy }: Authorized) => ({ decision, policy })

const resultOf = <T>(returned: StageReturn<T>): T | undefined =>
  returned instanceof Stop ? returned.partial : returned instanceof Skipped ? returned.value : returned

export type PreviewMemoriesDeps = Parameters<typeof decideOnCandidates>[4]

export interface PreviewedMemories {
  readonly memories: readonly MemoryDraft[]
  /** Candidates that rules, detectors or limits leave out. */
  readonly leftOut: number
  /** The Application's model extracts memories at the release, so they are not known before. */
  readonly isExtracted: boolean
  readonly reason?: Extract<CapturePlan, { reason: string }>['reason'] | 'operator' | 'refused'
}

/** Stage 11 without the model that extracts memories. */
async function previewMemories(
  context: RequestContext,
  authorized: Authorized,
  inspected: Inspected,
  deps: PreviewMemoriesDeps,
): Promise<PreviewedMemories> {
  const { memories: none } = NOTHING_RELEASED
  // Directives of output rules count here as well.
  const steered = { ...authorized, directives: combineDirectives(inspected.decision.directives) }
  const plan = planCapture(context, steered)
  if ('reason' in plan) return { ...none, reason: plan.reason }
  if (context.caller.memoryDisabled) return { ...none, reason: 'operator' }
  if (plan.capture === 'extract') return { ...none, isExtracted: true }
  const { default_classification: classification } = context.caller.application.settings
  const candidates = explicitCandidates(steered, plan.scope, classification)
  const { drafts } = await decideOnCandidates(candidates, context, steered, inspected, deps)
  return { memories: drafts, leftOut: candidates.length - drafts.length, isExtracted: false }
}
