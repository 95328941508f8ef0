import { findRecord } from '../../audit/audit-store.ts'
import type { WorkspaceKeys } from '../../audit/workspace-keys.ts'
import type { Decision } from '../../domain/decision.ts'
import type { ReportFault } from '../../domain/fault.ts'
import { replaceTexts } from '../../domain/message.ts'
import type { Cache } from '../../lib/cache.ts'
import { collectDirectives } from '../../policy/directives.ts'
import { evaluate } from '../../policy/evaluate.ts'
import type { PolicyLibrary } from '../../policy/policy-library.ts'
import { applyTransforms, isTruncation } from '../../policy/transforms.ts'
import { Vault } from '../../policy/vault.ts'
import type { PendingAnswers } from '../../review/pending-answers.ts'
import { bindRequest, type RequestHashes } from '../../review/request-hash.ts'
import { findPendingHold } from '../../review/review-store.ts'
import { type Admitted, type Authorized, type Caller, type Content, type Identity, ownerOf } from '../facts.ts'
import { deniedByFault } from '../fault-denial.ts'
import { NOTHING_DECIDED } from '../neutral.ts'
import { Passed, refuse, type Step, Stop } from '../outcome.ts'
import { policyInput } from '../policy-input.ts'
import type { Exchange } from '../request.ts'
import { type ReviewDeps, resubmit } from '../resubmission.ts'
import { ENDPOINT_PLANS } from '../stages.ts'

export interface AuthorizeDeps extends ReviewDeps {
  readonly policies: Pick<PolicyLibrary, 'current'>
  /** A Workspace's keys, by its id. */
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly pendingAnswers: PendingAnswers
  readonly reportFault: ReportFault
}

/**
 * Stage 5 of 12: what the input policies demand. Transforms are applied here, before anything leaves; a reviewed request that
 * comes back is checked and claimed here; what must wait for a person stops here.
 */
export async function authorize(
  exchange: Exchange,
  caller: Caller,
  admitted: Admitted,
  identity: Identity,
  content: Content,
  deps: AuthorizeDeps,
): Promise<Step<Authorized>> {
  const { application } = caller
  const { request } = admitted
  const { needs, works } = ENDPOINT_PLANS[exchange.endpoint]
  if (needs && !application.settings[needs].enabled) {
    return refuse('VALIDATION_ERROR', { message: `${needs} is not enabled for this Application.` })
  }
  if (request.lookupId !== undefined) return lookUp(caller, request.lookupId, deps)
  if (!works.has('classify')) return NOTHING_DECIDED

  const policy = await deps.policies.current(application.workspaceId)
  const now = deps.clock.now()
  const decision = evaluate(policy, 'input', policyInput(exchange.endpoint, application, admitted, identity, now, content))
  const { binding } = await deps.workspaceKeys.get(application.workspaceId)
  const decided = {
    ...NOTHING_DECIDED,
    decision,
    policy,
    requestHashes: () => bindingOf(binding, caller, admitted, identity),
  }
  if (request.dryRun) return transformed(decided, admitted, content, deps)
  if (request.reviewItemId !== undefined) return released(request.reviewItemId, decided, caller, admitted, content, deps)
  return (await stopped(decided, exchange, caller, deps)) ?? transformed(decided, admitted, content, deps)
}

/** Audit lookup is decided by what belongs to the Application, not by rules: a foreign record looks like an unknown one. */
async function lookUp({ application }: Caller, id: string, { db }: AuthorizeDeps): Promise<Step<Authorized>> {
  const owner = { workspaceId: application.workspaceId, applicationId: application.id }
  const found = await findRecord(db, owner, id)
  return found
    ? { ...NOTHING_DECIDED, found }
    : refuse('NOT_FOUND', { message: 'There is no such audit record.' }, NOTHING_DECIDED)
}

/** What ends here: a denial, or a hold that the record stage opens. Searches go on and find nothing (stages.ts, onRefusal). */
async function stopped(
  decided: Authorized,
  { endpoint }: Exchange,
  caller: Caller,
  deps: AuthorizeDeps,
): Promise<Step<Authorized> | undefined> {
  const { verdict } = decided.decision
  if (verdict === 'deny' || verdict === 'require_approval') {
    const { onRefusal } = ENDPOINT_PLANS[endpoint]
    if (onRefusal === 'withhold') return { ...decided, withheld: true }
    if (verdict === 'deny') return denied(decided)
    return onRefusal === 'set_aside' ? undefined : new Stop({ kind: 'held', point: 'input' }, decided)
  }
  const owner = ownerOf(caller)
  if (!(await deps.pendingAnswers.mayExist(owner))) return undefined
  // Its answer waits for a reviewer already: the provider is not asked a second time (decisions.md §2.3, Headers).
  const waiting = await findPendingHold(deps.db, owner, decided.requestHashes(), deps.clock.now(), 'output')
  return waiting && new Stop({ kind: 'held', point: 'output', itemId: waiting.id }, decided)
}

const denied = (decided: Authorized): Step<Authorized> =>
  refuse('POLICY_DENIED', { details: { rules: decidingRules(decided.decision), point: 'input' } }, decided)

const decidingRules = ({ rules, verdict }: Decision): string[] =>
  rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id)

/** A reviewed request: the current policy is asked again, and a deny since then denies (decisions.md §2.5, At release). */
async function released(
  id: string,
  decided: Authorized,
  caller: Caller,
  admitted: Admitted,
  content: Content,
  deps: AuthorizeDeps,
): Promise<Step<Authorized>> {
  const answer = await resubmit(ownerOf(caller), { id, ...decided.requestHashes() }, deps)
  if (answer.kind === 'refused') return refuse(answer.code, answer.fields, decided)
  if (answer.kind === 'pending') return new Stop({ kind: 'held', point: 'input', itemId: answer.itemId }, decided)
  const { release } = answer
  if (release.kind === 'first' && decided.decision.verdict === 'deny') return denied({ ...decided, release })
  const ready = transformed({ ...decided, release }, admitted, content, deps)
  const kept = release.kind === 'first' ? release.content.vault : undefined
  // The held answer holds the placeholders of its own request.
  return ready instanceof Stop || ready instanceof Passed || kept === undefined
    ? ready
    : { ...ready, vault: Vault.fromJSON(kept) }
}

/** Applies the obligations to everything that would leave; one that cannot be carried out denies (decisions.md §2.2). */
function transformed(
  decided: Authorized,
  { request }: Admitted,
  { texts, findings, messageTexts }: Content,
  { reportFault }: Pick<AuthorizeDeps, 'reportFault'>,
): Step<Authorized> {
  const { transforms, directives } = decided.decision
  const steering = collectDirectives(directives)
  const vault = new Vault()
  const texted = texts.map((text, index) => ({ text, findings: findings[index] ?? [] }))
  try {
    const messages = applyTransforms(texted.slice(0, messageTexts), transforms, vault)
    // A tool's schema cut short would be none: what is not a message is never truncated.
    const parameters = applyTransforms(
      texted.slice(messageTexts),
      transforms.filter((name) => !isTruncation(name)),
      vault,
    )
    return {
      ...decided,
      messages: replaceTexts(request.messages, messages.texts),
      parameters: replaceTexts(request.parameters, parameters.texts),
      transforms: [...new Set([...messages.applied, ...parameters.applied])],
      vault,
      steering,
      systemTexts: steering.system.map((name) => decided.policy?.texts.get(name) ?? ''),
    }
  } catch (error) {
    reportFault({ kind: 'transform', name: 'input', how: 'threw', error })
    const failed = ['transform']
    const decision = deniedByFault(decided.decision, 'input', failed)
    return refuse('POLICY_DENIED', { details: { failed } }, { ...decided, decision })
  }
}

const bindingOf = (
  keys: WorkspaceKeys['binding'],
  { application, playedBy }: Caller,
  { request }: Admitted,
  { user, sessionId }: Identity,
): RequestHashes =>
  bindRequest(keys, {
    applicationId: application.id,
    userId: user.id,
    isVerified: user.verified,
    // What is tried out never takes the place of what a client waits for.
    playedBy,
    sessionId: sessionId || null,
    request: { model: request.model || application.defaultModel, messages: request.messages, parameters: request.parameters },
  })
