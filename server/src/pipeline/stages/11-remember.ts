import type { Decision } from '../../domain/decision.ts'
import { denyByPolicy, refuse, Skipped, type StageReturn } from '../../domain/outcome.ts'
import { viewerOf } from '../../domain/viewer.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { draftProblem } from '../../memory/capture.ts'
import type { MemoryDraft } from '../../memory/memory.ts'
import { collectDirectives } from '../../policy/directives.ts'
import { mergeDecisions } from '../../policy/evaluate.ts'
import type { InvokeDeps } from '../../providers/invoke.ts'
import { deniedByFault, type GovernDeps } from '../govern.ts'
import type { MemoryCandidate, MemorySources } from '../memory-candidates.ts'
import { decideOnMemory, explicitCandidates, extractedCandidates } from '../memory-candidates.ts'
import { type Authorized, nothingRemembered, policyInputOf, type Remembered, type RequestContext } from '../stage-results.ts'

export interface RememberDeps extends GovernDeps {
  readonly clock: Clock
  readonly invokeDeps: InvokeDeps
}

/** Stage 11 of 12: decides which memories the request leaves. The record stage stores them in the transaction of the record. */
export async function remember(
  context: RequestContext,
  authorized: Authorized,
  sources: MemorySources,
  deps: RememberDeps,
): Promise<StageReturn<Remembered>> {
  // Directives of output rules count here as well.
  const steered = { ...authorized, steering: collectDirectives(sources.inspected.decision.directives) }
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

/** Named in the record when the viewer may not write to the memory's scope. */
const SCOPE_RULE = 'memory:scope'

/**
 * A chat leaves memories only if its completion is sent for the first time. A dry run stores none and calls no provider to extract
 * any; explicit ones are decided on all the same, so that the verdict is that of a real run (GW-DRY-3).
 */
async function rememberChat(
  context: RequestContext,
  authorized: Authorized,
  sources: MemorySources,
  deps: RememberDeps,
): Promise<StageReturn<Remembered>> {
  const { caller, identity, admitted } = context
  const { settings } = caller.application
  const { dryRun } = admitted.request
  const viewer = viewerOf(caller, identity)
  const isInactive = authorized.release?.kind === 'again' || authorized.steering.memory === 'off' || !sources.inspected.completion
  const scope = viewer.user.id !== '' ? 'user' : viewer.sessionId !== '' ? 'session' : undefined
  if (!settings.memory.enabled || settings.memory.capture === 'off' || isInactive || scope === undefined) return new Skipped()

  const isExplicit = settings.memory.capture === 'explicit'
  const { candidates, attempts } =
    isExplicit || dryRun
      ? { candidates: isExplicit ? explicitCandidates(authorized, scope, settings.default_classification) : [], attempts: [] }
      : await extractedCandidates(context, authorized, scope, sources, deps)
  const drafts: MemoryDraft[] = []
  const applied = new Set<string>()
  let { decision } = sources.inspected
  const now = deps.clock.now()
  for (const each of candidates) {
    const decided = await decideOnMemory(each, authorized, policyInputOf(context, now), deps)
    const { mode, candidate, transforms } = decided
    decision = mergeDecisions(decision, afterResponse(decided.decision))
    if (mode === 'off' || draftProblem(viewer, candidate, now)) continue
    for (const name of transforms) applied.add(name)
    drafts.push(draftOf(candidate, mode, admitted.auditId))
  }
  return { drafts: caller.memoryDisabled || dryRun ? [] : drafts, decision, transforms: [...applied], attempts }
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
