import { findRecord } from '../../domains/audit/audit-store.ts'
import type { ChainOverdue } from '../../domains/audit/chain/chain-pending.ts'
import type { WorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import type { ActivePolicies } from '../../domains/policy/active-policies.ts'
import { combineDirectives } from '../../domains/policy/directives.ts'
import { Vault } from '../../domains/policy/vault.ts'
import { expiryLimit, findStoredResponse } from '../../domains/responses/stored-response-store.ts'
import type { PendingOutputHolds } from '../../domains/review/pending-output-holds.ts'
import { requestHash } from '../../domains/review/request-hash.ts'
import { type Release, type ReviewDeps, resubmit } from '../../domains/review/resubmission.ts'
import { findPendingHold } from '../../domains/review/review-store.ts'
import type { Cache } from '../../platform/lib/cache.ts'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { decidingRules } from '../../shared/decision.ts'
import { replaceTexts } from '../../shared/message.ts'
import { sentFields } from '../../shared/original-request.ts'
import { denyByFault, denyByPolicy, RESPONSE_NOT_FOUND, refuse, type StageReturn, Stop } from '../../shared/outcome.ts'
import { responseOwner } from '../continue-conversation.ts'
import { ENDPOINT_PLANS } from '../endpoints.ts'
import { expectCost, findCandidates, type RouteDeps } from '../find-candidates.ts'
import { decide, type GovernDeps, transform } from '../govern.ts'
import type { UsedResponse } from '../request.ts'
import type { Authorized, Classified, RequestContext } from '../stage-results.ts'
import { NOTHING_DECIDED, ownerOf, policyInputOf } from '../stage-results.ts'

export interface AuthorizeDeps extends ReviewDeps, RouteDeps, Pick<GovernDeps, 'reportFault'> {
  readonly policies: Pick<ActivePolicies, 'current'>
  readonly workspaceKeys: Cache<WorkspaceKeys>
  /** Called before an audit record is looked up. */
  readonly chainOverdue: ChainOverdue
  readonly pendingOutputHolds: PendingOutputHolds
  readonly responseBox: SecretBox
}

/** Their names in the dashboard. */
const FEATURES = { knowledge: 'Knowledge', memory: 'Memory' }

/** Stage 5 of 12: the input policies. A request that needs approval ends here; the release of an approved one is claimed here. */
export function authorize(
  context: RequestContext,
  classified: Classified,
  deps: AuthorizeDeps,
): MaybePromise<StageReturn<Authorized>> {
  const { incoming, caller, admitted } = context
  const { application } = caller
  const { request } = admitted
  const { feature, stages } = ENDPOINT_PLANS[incoming.endpoint]
  if (feature && !application.settings[feature].enabled) {
    const setting = `Turn on ${FEATURES[feature]} under Applications › ${application.name} › Settings.`
    const message = `${feature} is not enabled for this Application. ${setting}`
    return refuse('VALIDATION_ERROR', { message })
  }
  if (request.lookupId !== undefined) return lookUp(context, request.lookupId, deps)
  if (request.storedResponse) return findResponse(context, request.storedResponse, deps)
  if (!stages.has('classify')) return NOTHING_DECIDED

  return andThen(decideOnInput(context, classified, deps), (decided): MaybePromise<StageReturn<Authorized>> => {
    if (request.dryRun) return withTransforms(decided, context, classified, deps)
    if (request.reviewItemId !== undefined) return release(request.reviewItemId, decided, context, classified, deps)
    return andThen(stopByVerdict(decided, context, deps), (stopped): MaybePromise<StageReturn<Authorized>> => {
      // Reviewers are asked only about requests that a model may answer.
      const opensHold = stopped instanceof Stop && stopped.outcome.kind === 'held' && stopped.outcome.point === 'input'
      if (opensHold) return holdAnswerable(decided, context, classified, deps)
      return stopped ?? withTransforms(decided, context, classified, deps)
    })
  })
}

export function decideOnInput(
  context: RequestContext,
  classified: Classified,
  { policies, workspaceKeys, clock }: Pick<AuthorizeDeps, 'policies' | 'workspaceKeys' | 'clock'>,
): MaybePromise<Authorized> {
  const { workspaceId } = context.caller.application
  return andThen(policies.current(workspaceId), (policy) => {
    const decision = decide(classified, 'input', { policy, input: policyInputOf(context, clock.now()) })
    const decided = { ...NOTHING_DECIDED, decision, policy }
    return andThen(workspaceKeys.get(workspaceId), ({ binding }) => ({ ...decided, requestHash: () => hashOf(binding, context) }))
  })
}

/**
 * Another Application's record looks like one that does not exist. Rules of hits that were left out, and whether and with how many
 * passages a search called a service, would tell that hits exist which the Application did not get.
 */
async function lookUp(
  { caller }: RequestContext,
  id: string,
  { db, chainOverdue }: AuthorizeDeps,
): Promise<StageReturn<Authorized>> {
  await chainOverdue(caller.application.workspaceId)
  const auditRecord = await findRecord(db, ownerOf(caller), id)
  if (auditRecord) {
    const { search_services: _, ...record } = auditRecord
    const { decision } = record
    const shown = decision && { ...decision, rules: decision.rules.filter((rule) => !rule.left_out) }
    return { ...NOTHING_DECIDED, auditRecord: { ...record, decision: shown } }
  }
  return refuse('NOT_FOUND', { message: 'Audit record not found.' }, NOTHING_DECIDED)
}

async function findResponse(
  { caller, identity }: RequestContext,
  { id, problemOf }: UsedResponse,
  { db, clock, responseBox }: AuthorizeDeps,
): Promise<StageReturn<Authorized>> {
  const expired = expiryLimit(caller.application, clock.now())
  const storedResponse = await findStoredResponse(db, responseOwner(caller, identity), id, expired, responseBox)
  if (!storedResponse) return new Stop(RESPONSE_NOT_FOUND, NOTHING_DECIDED)
  const problem = problemOf?.(storedResponse.content)
  return problem ? refuse('VALIDATION_ERROR', problem, NOTHING_DECIDED) : { ...NOTHING_DECIDED, storedResponse }
}

/** A hold with its expected cost, or the refusal of a request that no provider may serve, as far as both are known before the searches. */
async function holdAnswerable(
  decided: Authorized,
  context: RequestContext,
  classified: Classified,
  deps: AuthorizeDeps,
): Promise<Stop<Authorized>> {
  const authorized = withTransforms(decided, context, classified, deps)
  if (authorized instanceof Stop) return authorized
  const route = await findCandidates(context, authorized, deps)
  if (route instanceof Stop) return new Stop(route.outcome, decided)
  return new Stop({ kind: 'held', point: 'input', expectedCost: expectCost(route, context, authorized, deps) }, decided)
}

/** A denial or a hold; undefined: the request continues. A search continues without its query (endpoints.ts, onRefusal). */
function stopByVerdict(
  decided: Authorized,
  { incoming: { endpoint }, caller }: RequestContext,
  { db, clock, pendingOutputHolds }: AuthorizeDeps,
): MaybePromise<StageReturn<Authorized> | undefined> {
  const { verdict } = decided.decision
  const { onRefusal } = ENDPOINT_PLANS[endpoint]
  if (verdict === 'deny' || verdict === 'require_approval') {
    if (onRefusal === 'withhold') return { ...decided, withheld: true }
    if (verdict === 'deny') return denyByPolicy(decided.decision, 'input', decided)
    if (onRefusal === 'deny') return denyUnapproved(decided)
    return onRefusal === 'set_aside' ? undefined : new Stop({ kind: 'held', point: 'input' }, decided)
  }
  // Only an endpoint that holds requests also holds completions; the same text in another request is not such a completion.
  if (onRefusal !== 'refuse') return undefined
  const owner = ownerOf(caller)
  // The completion of this request may be held already: then the provider is not called a second time (GW-RETRY-2).
  const findHeld = async () => {
    const pending = await findPendingHold(db, owner, decided.requestHash(), clock.now(), 'output')
    return pending && new Stop({ kind: 'held', point: 'output', itemId: pending.id, expiresAt: pending.expiresAt }, decided)
  }
  return andThen(pendingOutputHolds.mayExist(owner), (mayExist) => (mayExist ? findHeld() : undefined))
}

/** A request that cannot wait for a reviewer (GW-EMB-7). */
const denyUnapproved = (decided: Authorized): Stop<Authorized> =>
  refuse('POLICY_DENIED', { message: NEEDS_APPROVAL, details: { ...NO_HOLD, rules: decidingRules(decided.decision) } }, decided)

const NO_HOLD = { point: 'input', reason: 'approval_required' }
const NEEDS_APPROVAL =
  'A policy requires approval for this content, and embeddings cannot be approved: no review item exists. Remove the content.'

async function release(
  id: string,
  decided: Authorized,
  context: RequestContext,
  classified: Classified,
  deps: AuthorizeDeps,
): Promise<StageReturn<Authorized>> {
  const { keyIssuer } = context.caller
  const resubmitted = await resubmit(ownerOf(context.caller), { id, keyIssuer, requestHash: decided.requestHash() }, deps)
  if (resubmitted.kind === 'refused') return refuse(resubmitted.code, resubmitted.fields, decided)
  if (resubmitted.kind === 'pending') {
    const { itemId, expiresAt, question } = resubmitted
    return new Stop({ kind: 'held', point: 'input', itemId, expiresAt, question }, decided)
  }
  return applyRelease(resubmitted.release, decided, context, classified, deps)
}

/** The request of a release with the transforms of the current policies, unless they deny it (GW-REV-12). */
export function applyRelease(
  release: Release,
  decided: Authorized,
  context: RequestContext,
  classified: Classified,
  deps: Pick<AuthorizeDeps, 'reportFault'>,
): Authorized | Stop<Authorized> {
  if (release.kind === 'first' && decided.decision.verdict === 'deny')
    return denyByPolicy(decided.decision, 'input', { ...decided, release })
  const authorized = withTransforms({ ...decided, release }, context, classified, deps)
  const storedVault = release.kind === 'first' ? release.content.vault : undefined
  // The held completion contains placeholders of the request that produced it.
  return authorized instanceof Stop || storedVault === undefined
    ? authorized
    : { ...authorized, vault: Vault.fromJSON(storedVault) }
}

function withTransforms(
  decided: Authorized,
  { admitted: { request } }: RequestContext,
  classified: Classified,
  deps: Pick<AuthorizeDeps, 'reportFault'>,
): Authorized | Stop<Authorized> {
  const directives = combineDirectives(decided.decision.directives)
  const vault = new Vault()
  const { messages, parameters } = request
  const replace = (texts: readonly string[]) =>
    texts === classified.texts
      ? { messages, parameters }
      : {
          messages: replaceTexts(messages, texts.slice(0, classified.messageTexts)),
          parameters: replaceTexts(parameters, texts.slice(classified.messageTexts)),
        }
  const obligations = { vault, prose: classified.messageTexts, replace }
  const { value, decision, transforms, failed } = transform(classified, 'input', decided.decision, obligations, deps)
  if (!value) return denyByFault(failed, { ...decided, decision })
  const systemTexts = directives.system.map((name) => decided.policy?.texts.get(name) ?? '')
  return { ...decided, ...value, transforms, vault, directives, systemTexts }
}

const hashOf = (
  key: WorkspaceKeys['binding'],
  { caller: { application, operatorId }, admitted: { request }, identity: { user, sessionId } }: RequestContext,
): Buffer =>
  requestHash(key, {
    applicationId: application.id,
    userId: user.id,
    isVerified: user.verified,
    // A request of the playground never takes the place of a client's hold.
    operatorId,
    sessionId: sessionId || null,
    request: { model: request.model || application.defaultModel, messages: request.messages, parameters: request.parameters },
    written: request.source && sentFields(request.source),
  })
