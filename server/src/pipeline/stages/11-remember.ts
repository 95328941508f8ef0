import type { Detector } from '../../classification/detector.ts'
import type { Decision } from '../../domain/decision.ts'
import type { ReportFault } from '../../domain/fault.ts'
import type { Viewer } from '../../domain/viewer.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { checkDraft, type MemoryDraft, ownerOfMemory } from '../../memory/capture.ts'
import { collectDirectives } from '../../policy/directives.ts'
import { mergeDecisions } from '../../policy/evaluate.ts'
import type { PolicyInput } from '../../policy/input.ts'
import type { InvokeDeps as ProviderDeps } from '../../providers/invoke.ts'
import type { Admitted, Authorized, Caller, Identity, Inspected, Made, Remembered } from '../facts.ts'
import { deniedByFault } from '../fault-denial.ts'
import { explicitWishes, extractedWishes } from '../memory-wishes.ts'
import { nothingKept } from '../neutral.ts'
import { Passed, refuse, type Step } from '../outcome.ts'
import { policyInput } from '../policy-input.ts'
import { decideOnMemory, type MemoryDecision, type MemoryWish } from '../remembering.ts'
import type { Exchange } from '../request.ts'
import { viewerOf } from '../viewer.ts'

export interface RememberDeps {
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly clock: Clock
  readonly reportFault: ReportFault
  readonly providerCalls: ProviderDeps
}

/**
 * Stage 11 of 12: the memory decision. What may be kept is drafted here and written by the record stage, in the transaction of
 * the record.
 */
export async function remember(
  exchange: Pick<Exchange, 'endpoint'>,
  caller: Caller,
  admitted: Admitted,
  identity: Identity,
  leave: Authorized,
  made: Made,
  deps: RememberDeps,
): Promise<Step<Remembered>> {
  const input = (content: PolicyInput['content']) =>
    policyInput(exchange.endpoint, caller.application, admitted, identity, deps.clock.now(), {
      texts: [content.text],
      counts: content.findings,
      classification: content.classification,
      risk: content.riskLevel,
    })
  const viewer = viewerOf(caller, identity)
  // What the output's rules direct counts from here on.
  const steered = { ...leave, steering: collectDirectives(made.checked.decision.directives) }
  const decide = (wish: MemoryWish) => decideOnMemory(wish, steered, input, deps)
  if (exchange.endpoint === 'memory_capture') return capture(viewer, admitted, steered, made.checked, decide, deps)
  return fromChat(caller, viewer, admitted, steered, made, decide, deps)
}

function capture(
  viewer: Viewer,
  { request, auditId }: Admitted,
  leave: Authorized,
  checked: Inspected,
  decide: (wish: MemoryWish) => MemoryDecision,
  { clock }: RememberDeps,
): Step<Remembered> {
  const { capture } = request
  if (!capture) return new Passed(nothingKept(checked))
  const [content = '', summary = null] = leave.messages.map((message) => String(message.content ?? ''))
  const { mode, decision, wish, transforms } = decide({ ...capture, content, summary, subject: null, source: 'capture' })
  const decided: Remembered = { ...nothingKept(checked), decision: mergeDecisions(leave.decision, decision), transforms }
  const refusal = refusalOf(viewer, wish, clock.now())
  if (refusal && 'denied' in refusal) {
    const details = { rules: [SCOPE_RULE], point: 'remember', reason: 'memory_scope' }
    const denied = deniedByFault(decided.decision, 'remember', [SCOPE_RULE])
    return refuse('POLICY_DENIED', { message: refusal.denied, details }, { ...decided, decision: denied })
  }
  if (refusal) return refuse('VALIDATION_ERROR', refusal, decided)
  if (decision.verdict === 'deny') {
    const rules = decision.rules.filter(({ verdict }) => verdict === 'deny').map(({ id }) => id)
    return refuse('POLICY_DENIED', { details: { rules, point: 'remember' } }, decided)
  }
  if (mode === 'off') return decided
  // What the input's rules want a person to see is set aside for auditors too.
  const kept = decided.decision.verdict === 'allow' ? mode : 'audit_only'
  return { ...decided, drafts: [draftOf(wish, kept, auditId)] }
}

/** As what stands in the record when a viewer may not write to the memory that they name. */
const SCOPE_RULE = 'memory:scope'

/** Why a wish cannot be kept: it is not sound, or its viewer may not write there. */
function refusalOf(viewer: Viewer, wish: MemoryWish, now: Date) {
  const owner = ownerOfMemory(viewer, wish.scope, wish.scopeId)
  if (!owner.ok && 'denied' in owner) return owner
  const problem = owner.ok ? checkDraft(wish, now) : owner
  return problem && { param: problem.param, message: `${problem.param}: ${problem.message}.` }
}

/**
 * Only what a chat has truly answered leaves memories: nothing released for the second time. A dry run keeps none and asks no
 * provider for any; what would be kept is decided all the same, so that its verdict is a real run's (decisions.md §2.4).
 */
async function fromChat(
  { application, keepsNothing }: Caller,
  viewer: Viewer,
  { request, auditId }: Admitted,
  leave: Authorized,
  made: Made,
  decide: (wish: MemoryWish) => MemoryDecision,
  deps: RememberDeps,
): Promise<Step<Remembered>> {
  const { checked } = made
  const { memory } = application.settings
  const idle = leave.release?.kind === 'again' || leave.steering.memory === 'off' || !checked.completion
  const scope = viewer.user.id !== '' ? 'user' : viewer.sessionId !== '' ? 'session' : undefined
  if (!memory.enabled || memory.capture === 'off' || idle || scope === undefined) return new Passed(nothingKept(checked))

  const { wishes, attempts } =
    memory.capture === 'explicit'
      ? { wishes: explicitWishes(leave, scope, application.settings.default_classification), attempts: [] }
      : request.dryRun
        ? { wishes: [], attempts: [] }
        : await extractedWishes(application, leave, scope, request.model, made, deps)
  const drafts: MemoryDraft[] = []
  const applied = new Set<string>()
  let { decision } = checked
  for (const { mode, wish, transforms, decision: own } of wishes.map(decide)) {
    decision = mergeDecisions(decision, inAnAnswer(own))
    if (mode === 'off' || refusalOf(viewer, wish, deps.clock.now())) continue
    for (const name of transforms) applied.add(name)
    drafts.push(draftOf(wish, mode, auditId))
  }
  return { drafts: keepsNothing || request.dryRun ? [] : drafts, decision, transforms: [...applied], attempts }
}

/** The answer is there and stays: a memory that may not be kept denies nothing else, one to be approved is looked at later. */
const inAnAnswer = (decision: Decision): Decision => ({
  ...decision,
  verdict: decision.verdict === 'deny' ? 'allow' : decision.verdict === 'require_approval' ? 'escalate' : decision.verdict,
})

const draftOf = (wish: MemoryWish, mode: 'active' | 'audit_only', auditId: string): MemoryDraft => ({
  ...wish,
  id: newId('mem'),
  mode,
  auditId,
})
