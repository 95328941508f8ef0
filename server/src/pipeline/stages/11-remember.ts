import { draftProblem } from '../../domains/memory/capture.ts'
import type { MemoryDraft } from '../../domains/memory/memory.ts'
import { combineDirectives } from '../../domains/policy/directives.ts'
import { mergeDecisions } from '../../domains/policy/evaluate.ts'
import type { InvokeDeps } from '../../domains/providers/invoke.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { newId } from '../../platform/lib/id.ts'
import type { MaybePromise } from '../../platform/lib/maybe-promise.ts'
import type { Decision } from '../../shared/decision.ts'
import { denyByPolicy, refuse, Skipped, type StageReturn } from '../../shared/outcome.ts'
import { viewerOf } from '../../shared/viewer.ts'
import { deniedByFault, type GovernDeps } from '../govern.ts'
import type { MemoryCandidate, MemorySources } from '../memory-candidates.ts'
import { decideOnMemory, explicitCandidates, extractedCandidates } from '../memory-candidates.ts'
import type { Authorized, Inspected, Remembered, RequestContext } from '../stage-results.ts'
import { nothingRemembered, policyInputOf } from '../stage-results.ts'

export interface RememberDeps extends GovernDeps {
  readonly clock: Clock
  readonly invokeDeps: InvokeDeps
}

/** Stage 11 of 12: decides which memories the request leaves. The record stage stores them in the transaction of the record. */
export function remember(
  context: RequestContext,
  authorized: Authorized,
  sources: MemorySources,
  deps: RememberDeps,
): MaybePromise<StageReturn<Remembered>> {
  // Directives of output rules count here as well.
  const steered = { ...authorized, directives: combineDirectives(sources.inspected.decision.directives) }
  return context.incoming.endpoint === 'memory_capture'
    ? capture(context, steered, sources, deps)
    : rememberChat(context, steered, sources, deps)
}

async function capture(
  context: RequestContext,
  authorized: Authorized,
  { inspected }: MemorySources,
  deps: RememberDeps,
): Promise<StageReturn<Remembered>> {
  const { request, auditId } = context.admitted
  if (!request.capture) return new Skipped()
  const [content = '', summary = null] = authorized.messages.map((message) => String(message.content ?? ''))
  const captured: MemoryCandidate = { ...request.capture, content, summary, subject: null, source: 'capture' }
  const now = deps.clock.now()
  const { mode, decision, candidate, transforms } = await decideOnMemory(captured, authorized, policyInputOf(context, now), deps)
  const decided = { ...nothingRemembered(inspected), decision: mergeDecisions(authorized.decision, decision), transforms }
  const problem = draftProblem(viewerOf(context.caller, context.identity), candidate, now)
  if (problem && 'denied' in problem) {
    const details = { rules: [SCOPE_RULE], point: 'remember', reason: 'memory_scope' }
    const denied = deniedByFault(decided.decision, 'remember', [SCOPE_RULE])
    return refuse('POLICY_DENIED', { message: problem.denied, details }, { ...decided, decision: denied })
  }
  if (problem) {
    const { param, message } = problem
    return refuse('VALIDATION_ERROR', { param, message: `${param}: ${message}.` }, decided)
  }
  if (decision.verdict === 'deny') return denyByPolicy(decision, 'remember', decided)
  if (mode === 'off') return decided
  // If input rules escalate or require approval, the memory is stored for auditors only.
  return { ...decided, drafts: [draftOf(candidate, decided.decision.verdict === 'allow' ? mode : 'audit_only', auditId)] }
}

const SCOPE_RULE = 'memory:scope'

/** Only if the completion is sent for the first time. A dry run decides on explicit memories, for the verdict (GW-DRY-3). */
function rememberChat(
  context: RequestContext,
  authorized: Authorized,
  sources: MemorySources,
  deps: RememberDeps,
): MaybePromise<StageReturn<Remembered>> {
  const { caller, admitted } = context
  const plan = planCapture(context, authorized)
  if ('reason' in plan || authorized.release?.kind === 'again' || !sources.inspected.completion) return new Skipped()
  return candidatesOf(plan, context, authorized, sources, deps).then(async ({ candidates, attempts }) => {
    const remembered = await decideOnCandidates(candidates, context, authorized, sources.inspected, deps)
    return { ...remembered, drafts: admitted.request.dryRun || caller.memoryDisabled ? [] : remembered.drafts, attempts }
  })
}

export type CapturePlan =
  | { readonly capture: 'explicit' | 'extract'; readonly scope: 'user' | 'session' }
  /** The Application's settings, a directive of the policies, or no user and session that a memory could belong to. */
  | { readonly reason: 'disabled' | 'policy' | 'no_owner' }

export function planCapture({ caller, identity }: RequestContext, { directives }: Pick<Authorized, 'directives'>): CapturePlan {
  const { enabled, capture } = caller.application.settings.memory
  if (!enabled || capture === 'off') return { reason: 'disabled' }
  if (directives.memory === 'off') return { reason: 'policy' }
  const { user, sessionId } = viewerOf(caller, identity)
  if (user.id !== '') return { capture, scope: 'user' }
  return sessionId !== '' ? { capture, scope: 'session' } : { reason: 'no_owner' }
}

async function candidatesOf(
  { capture, scope }: Exclude<CapturePlan, { reason: string }>,
  context: RequestContext,
  authorized: Authorized,
  sources: MemorySources,
  deps: RememberDeps,
) {
  const { settings } = context.caller.application
  if (capture === 'explicit')
    return { candidates: explicitCandidates(authorized, scope, settings.default_classification), attempts: [] }
  if (context.admitted.request.dryRun) return { candidates: [], attempts: [] }
  return extractedCandidates(context, authorized, scope, sources, deps)
}

export async function decideOnCandidates(
  candidates: readonly MemoryCandidate[],
  context: RequestContext,
  authorized: Pick<Authorized, 'policy' | 'directives'>,
  inspected: Pick<Inspected, 'decision'>,
  deps: GovernDeps & Pick<RememberDeps, 'clock'>,
): Promise<Omit<Remembered, 'attempts'>> {
  const viewer = viewerOf(context.caller, context.identity)
  const drafts: MemoryDraft[] = []
  const applied = new Set<string>()
  let { decision } = inspected
  const now = deps.clock.now()
  for (const each of candidates) {
    const decided = await decideOnMemory(each, authorized, policyInputOf(context, now), deps)
    const { mode, candidate, transforms } = decided
    decision = mergeDecisions(decision, afterResponse(decided.decision))
    if (mode === 'off' || draftProblem(viewer, candidate, now)) continue
    for (const name of transforms) applied.add(name)
    drafts.push(draftOf(candidate, mode, context.admitted.auditId))
  }
  return { drafts, decision, transforms: [...applied] }
}

/** A memory changes nothing of the completion: a denied one is only left out, and one that requires approval is escalated. */
const afterResponse = (decision: Decision): Decision => ({
  ...decision,
  verdict: decision.verdict === 'deny' ? 'allow' : decision.verdict === 'require_approval' ? 'escalate' : decision.verdict,
})

const draftOf = (candidate: MemoryCandidate, mode: 'active' | 'audit_only', auditId: string): MemoryDraft => ({
  ...candidate,
  id: newId('mem'),
  mode,
  auditId,
})
