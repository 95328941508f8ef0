import { ApprovalWait } from '../domains/review/approval-wait.ts'
import { GatehouseError } from '../errors.ts'
import { elapsed } from '../platform/lib/clock.ts'
import { nextTurn } from '../platform/lib/next-turn.ts'
import { untilAborted } from '../platform/lib/until-aborted.ts'
import type { FinishedRequest } from '../platform/telemetry/finished-request.ts'
import { type Outcome, Stop } from '../shared/outcome.ts'
import { type ConversationDeps, continueConversation } from './continue-conversation.ts'
import { ENDPOINT_PLANS } from './endpoints.ts'
import { type RouteDeps, withPriced } from './find-candidates.ts'
import type { SearchDeps } from './govern-hits.ts'
import { finishedRequest, type PipelineResult, spentTokens } from './pipeline-result.ts'
import type { IncomingRequest } from './request.ts'
import {
  NO_ROUTE,
  NOT_INVOKED,
  noHits,
  nothingRemembered,
  ownerOf,
  type SearchContext,
  type StageResults,
  UNCLASSIFIED,
  UNIDENTIFIED,
  uninspected,
} from './stage-results.ts'
import { StageTrace } from './stage-trace.ts'
import { authenticate } from './stages/01-authenticate.ts'
import { admit } from './stages/02-admit.ts'
import { identify } from './stages/03-identify.ts'
import { type ClassifyDeps, classify } from './stages/04-classify.ts'
import { type AuthorizeDeps, authorize } from './stages/05-authorize.ts'
import { retrieve } from './stages/06-retrieve.ts'
import { recall } from './stages/07-recall.ts'
import { findRoute } from './stages/08-route.ts'
import { type InvokeStageDeps, invoke } from './stages/09-invoke.ts'
import { inspect } from './stages/10-inspect.ts'
import { type RememberDeps, remember } from './stages/11-remember.ts'
import { type RecordDeps, record } from './stages/12-record.ts'
import { withContext } from './with-context.ts'

export type PipelineDeps = Parameters<typeof authenticate>[1] &
  Parameters<typeof admit>[2] &
  Parameters<typeof identify>[3] &
  ClassifyDeps &
  AuthorizeDeps &
  SearchDeps &
  RouteDeps &
  InvokeStageDeps &
  RememberDeps &
  ConversationDeps &
  RecordDeps & { readonly observe: (finished: FinishedRequest) => void }

interface Run {
  readonly incoming: IncomingRequest
  readonly trace: StageTrace<StageResults>
  readonly outcome: Outcome
}

/** Runs a request through the twelve stages. `record` runs last, whatever the outcome; nothing is sent before it. */
export const runPipeline = async (incoming: IncomingRequest, deps: PipelineDeps): Promise<PipelineResult> =>
  recordRun(await runStages(incoming, deps), deps)

/** Runs a chat, which may wait for its reviewer and then runs again: domains/review/approval-wait.ts draws the states. */
export async function chatWithApprovalWait(incoming: IncomingRequest, deps: PipelineDeps): Promise<PipelineResult> {
  const wait = new ApprovalWait(incoming.clientSignal, deps)
  let run = await runStages(incoming, deps)
  for (;;) {
    // A stream whose beginning has left ends with the hold: the approved response could have another beginning (decision 0025).
    if (incoming.early?.sent) return recordRun(run, deps)
    const resumed = await resumeSuspended(run, wait, deps)
    if (resumed) run = resumed
    else {
      const result = await recordRun(run, deps)
      const resubmission = await resubmissionOf(incoming, result, wait, deps)
      if (!resubmission) return result
      run = await runStages(resubmission, deps)
    }
  }
}

/** The next run of a resubmission whose hold was pending, with the same audit record; undefined: `run` has to be recorded. */
async function resumeSuspended(run: Run, wait: ApprovalWait, deps: PipelineDeps): Promise<Run | undefined> {
  const { authenticate, admit } = run.trace.results
  const itemId = run.outcome.kind === 'held' ? run.outcome.itemId : undefined
  if (!authenticate || admit?.request.reviewItemId === undefined || itemId === undefined) return undefined
  const { lease, request } = admit
  try {
    const isDecided = await lease.suspendWhile(() => wait.suspend(ownerOf(authenticate), itemId, request.waitSeconds))
    if (!isDecided) return undefined
  } catch (cause) {
    return { ...run, outcome: { kind: 'failed', cause } }
  }
  const next = await runStages({ ...run.incoming, lease }, deps)
  // Refused by stage 1 or 2 this time, it still has a record, because it was admitted before.
  next.trace.results.authenticate ??= authenticate
  next.trace.results.admit ??= admit
  return next
}

/** The request that releases the hold which a recorded request opened, once it is decided; undefined: the result is final. */
async function resubmissionOf(
  incoming: IncomingRequest,
  { held, trace }: PipelineResult,
  wait: ApprovalWait,
  deps: PipelineDeps,
): Promise<IncomingRequest | undefined> {
  const { authenticate, admit } = trace.results
  if (!held || !authenticate || !admit) return undefined
  if (!(await wait.wait(ownerOf(authenticate), held.itemId, admit.request.waitSeconds))) return undefined
  const lease = await deps.limiter.resume(authenticate.application, admit.tokens)
  const parse: IncomingRequest['parse'] = (...parameters) => {
    const parsed = incoming.parse(...parameters)
    return parsed.ok ? { ok: true, request: { ...parsed.request, reviewItemId: held.itemId, waitSeconds: 0 } } : parsed
  }
  // The record of the hold has the id of the HTTP request.
  return lease && { ...incoming, parse, lease, auditId: undefined }
}

async function recordRun({ incoming, trace, outcome }: Run, deps: PipelineDeps): Promise<PipelineResult> {
  try {
    const startMs = trace.ms
    const result = await record(incoming, outcome, trace, deps)
    trace.notes.push({ name: 'record', outcome: 'ok', startMs, ms: trace.ms - startMs })
    deps.observe(finishedRequest(incoming, result, deps.clock.now()))
    return result
  } finally {
    const lease = trace.results.admit?.lease ?? incoming.lease
    lease?.release(spentTokens(trace.results, outcome))
    if (trace.results.reservation) deps.budgetLedger.close(trace.results.reservation)
  }
}

async function runStages(incoming: IncomingRequest, deps: PipelineDeps): Promise<Run> {
  const arrivedAt = elapsed()
  await nextTurn()
  const trace = new StageTrace<StageResults>(ENDPOINT_PLANS[incoming.endpoint].stages, arrivedAt)
  const outcome = await untilAborted(stages(incoming, deps, trace), deps.aborting, serverStopping).catch(
    (thrown: unknown): Outcome => (thrown instanceof Stop ? thrown.outcome : { kind: 'failed', cause: thrown }),
  )
  return { incoming, trace, outcome }
}

const serverStopping = (): Error =>
  new GatehouseError('UNAVAILABLE', {
    message: 'The server is stopping. Send the request again.',
    headers: { 'retry-after': '1' },
  })

/** Stages 1 to 11 in order, for all eight endpoints. A stage that an endpoint does not use (endpoints.ts) has its neutral result. */
async function stages(incoming: IncomingRequest, deps: PipelineDeps, trace: StageTrace<StageResults>): Promise<Outcome> {
  const caller = await trace.run('authenticate', () => authenticate(incoming, deps))
  const received = await trace.run('admit', () => admit(incoming, caller, deps))
  const identity = await trace.run('identify', () => identify(incoming, caller, received, deps), UNIDENTIFIED)
  const { continues, toStored } = received.request
  const continued = continues || toStored ? await continueConversation(incoming, caller, received, identity, deps) : received
  if (continued instanceof Stop) return continued.outcome
  const admitted = await withPriced(incoming, caller, continued, deps)
  trace.results.admit = admitted
  const context: SearchContext = { incoming, caller, admitted, identity, serviceCalls: [] }
  trace.results.serviceCalls = context.serviceCalls

  const scope = incoming.endpoint === 'chat' ? JSON.stringify([caller.application.id, identity.user.id]) : undefined
  const classified = await trace.run('classify', () => classify(caller, admitted, deps, scope), UNCLASSIFIED)
  const authorized = await trace.run('authorize', () => authorize(context, classified, deps))
  const noPassages = noHits(authorized.decision)
  const retrieved = await trace.run('retrieve', () => retrieve(context, authorized, deps), noPassages)
  const noMemories = noHits(retrieved.decision)
  const recalled = await trace.run('recall', () => recall(context, authorized, retrieved, deps), noMemories)
  const prepared = await withContext(context, authorized, { retrieved, recalled }, deps)

  const route = await trace.run('route', () => findRoute(context, prepared, deps), NO_ROUTE)
  const invoked = await trace.run('invoke', () => invoke(context, prepared, route, deps, trace.results), NOT_INVOKED)
  const outputs = { retrieved, recalled, invoked }
  const inspected = await trace.run('inspect', () => inspect(context, prepared, outputs, deps), uninspected(prepared))
  const sources = { retrieved, recalled, route, inspected }
  await trace.run('remember', () => remember(context, prepared, sources, deps), nothingRemembered(inspected))
  return { kind: 'answered' }
}
