import { collectTexts, estimateTokens } from '../domain/message.ts'
import { GatehouseError } from '../errors.ts'
import { elapsed } from '../lib/clock.ts'
import type { FinishedExchange } from '../telemetry/exchange-observer.ts'
import { type Facts, ownerOf } from './facts.ts'
import { finishedExchange } from './finished.ts'
import { informed } from './informed.ts'
import {
  NO_REPLY,
  NOWHERE,
  nothingKept,
  nothingRecalled,
  nothingRetrieved,
  UNIDENTIFIED,
  UNREAD,
  uninspected,
} from './neutral.ts'
import type { Outcome } from './outcome.ts'
import type { PipelineResult } from './pipeline-result.ts'
import type { Exchange } from './request.ts'
import { decidedInTime } from './resubmission.ts'
import { authenticate } from './stages/01-authenticate.ts'
import { admit } from './stages/02-admit.ts'
import { identify } from './stages/03-identify.ts'
import { type ClassifyDeps, classify } from './stages/04-classify.ts'
import { type AuthorizeDeps, authorize } from './stages/05-authorize.ts'
import { type RetrieveDeps, retrieve } from './stages/06-retrieve.ts'
import { type RecallDeps, recall } from './stages/07-recall.ts'
import { type RouteDeps, route } from './stages/08-route.ts'
import { type InvokeDeps, invoke } from './stages/09-invoke.ts'
import { inspect } from './stages/10-inspect.ts'
import { type RememberDeps, remember } from './stages/11-remember.ts'
import { type RecordDeps, record } from './stages/12-record.ts'
import { ENDPOINT_PLANS } from './stages.ts'
import { Halt, Trail } from './trail.ts'

export type PipelineDeps = Parameters<typeof authenticate>[1] &
  Parameters<typeof admit>[2] &
  Parameters<typeof identify>[3] &
  ClassifyDeps &
  AuthorizeDeps &
  RetrieveDeps &
  RecallDeps &
  RouteDeps &
  InvokeDeps &
  RememberDeps &
  RecordDeps & { readonly observe: (finished: FinishedExchange) => void }

/** Takes one exchange through the twelve stages. Whatever happens on the way, `record` runs last, and nothing leaves before it. */
export async function runPipeline(exchange: Exchange, deps: PipelineDeps): Promise<PipelineResult> {
  const { trail, outcome } = await walkInTime(exchange, deps)
  try {
    const startMs = trail.ms
    const result = await record(exchange, outcome, trail, deps)
    trail.notes.push({ name: 'record', outcome: 'ok', startMs, ms: trail.ms - startMs })
    deps.observe(finishedExchange(exchange, result, deps.clock.now()))
    return result
  } finally {
    trail.facts.admit?.lease.release(spentTokens(trail.facts, outcome))
  }
}

interface Walked {
  readonly trail: Trail<Facts>
  readonly outcome: Outcome
}

/**
 * A resubmission that has to wait has claimed nothing, and walks anew when it may go on: a key may have been revoked meanwhile,
 * a model withdrawn, a policy published (decisions.md §2.5, At release). It is one execution all the same, and recorded once.
 */
async function walkInTime(exchange: Exchange, deps: PipelineDeps): Promise<Walked> {
  const sinceMs = elapsed()
  let walked = await walkOnce(exchange, deps)
  for (;;) {
    const { outcome, trail } = walked
    const { authenticate, admit } = trail.facts
    const pendingId = outcome.kind === 'held' ? outcome.itemId : undefined
    if (!authenticate || admit?.request.reviewItemId === undefined || pendingId === undefined) return walked
    try {
      const wait = { waitSeconds: admit.request.waitSeconds, sinceMs, callerGone: exchange.callerGone() }
      const decided = () => decidedInTime(ownerOf(authenticate), pendingId, wait, deps)
      if (!(await admit.lease.away(decided))) return walked
    } catch (cause) {
      return { trail, outcome: { kind: 'failed', cause } }
    }
    walked = await walkOnce({ ...exchange, continues: admit.lease }, deps)
    // Refused at the door this time, it was an execution before, and has a record.
    walked.trail.facts.authenticate ??= authenticate
    walked.trail.facts.admit ??= admit
  }
}

async function walkOnce(exchange: Exchange, deps: PipelineDeps): Promise<Walked> {
  const trail = new Trail<Facts>(ENDPOINT_PLANS[exchange.endpoint].works)
  const outcome = await unlessCut(walk(exchange, deps, trail), deps.cutting).catch(
    (thrown: unknown): Outcome => (thrown instanceof Halt ? thrown.outcome : { kind: 'failed', cause: thrown }),
  )
  return { trail, outcome }
}

/** Rejects with UNAVAILABLE as soon as `cutting` is aborted: what still runs fails, and is recorded as failed. */
async function unlessCut<T>(work: Promise<T>, cutting: AbortSignal): Promise<T> {
  const { promise: cut, reject } = Promise.withResolvers<never>()
  const onCut = (): void => {
    const message = 'The server is stopping. Send the request again.'
    reject(new GatehouseError('UNAVAILABLE', { message, headers: { 'retry-after': '1' } }))
  }
  if (cutting.aborted) onCut()
  cutting.addEventListener('abort', onCut)
  try {
    return await Promise.race([work, cut])
  } finally {
    cutting.removeEventListener('abort', onCut)
  }
}

/**
 * What the exchange took of the token limit: nothing if no provider was asked, an estimate if none counted. One that is held
 * and waits for its reviewer keeps the estimate of stage 2: the walk that follows the decision is not admitted again.
 */
function spentTokens({ admit, route, invoke, remember }: Partial<Facts>, outcome: Outcome | undefined): number | undefined {
  if (admit?.request.dryRun) return 0
  if (!invoke || invoke.attempts.length === 0) {
    const goesOn = outcome?.kind === 'held' && admit && admit.request.waitSeconds > 0 && admit.request.reviewItemId === undefined
    return goesOn ? undefined : 0
  }
  const { completion } = invoke
  if (!completion) return undefined
  const extracting = sum((remember?.attempts ?? []).map(({ prompt_tokens: i, completion_tokens: o }) => (i ?? 0) + (o ?? 0)))
  const answered =
    completion.usage?.total_tokens ??
    (route?.tokens() ?? 0) + estimateTokens(collectTexts(completion.choices.map(({ message }) => message)))
  return answered + extracting
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** The one walk of all six endpoints. A stage that does not work for an endpoint (stages.ts) yields its neutral value. */
async function walk(exchange: Exchange, deps: PipelineDeps, trail: Trail<Facts>): Promise<Outcome> {
  const caller = await trail.step('authenticate', () => authenticate(exchange, deps))
  const admitted = await trail.step('admit', () => admit(exchange, caller, deps))
  const identity = await trail.step('identify', () => identify(exchange, caller, admitted, deps), UNIDENTIFIED)
  const content = await trail.step('classify', () => classify(caller, admitted, deps), UNREAD)
  const leave = await trail.step('authorize', () => authorize(exchange, caller, admitted, identity, content, deps))
  const found = await trail.step(
    'retrieve',
    () => retrieve(exchange, caller, admitted, identity, leave, deps),
    nothingRetrieved(leave),
  )
  const recalled = await trail.step(
    'recall',
    () => recall(exchange, caller, admitted, identity, leave, found, deps),
    nothingRecalled(found.decision),
  )
  const ready = informed(leave, found, recalled, admitted.auditId)
  const way = await trail.step('route', () => route(caller, admitted, ready, deps), NOWHERE)
  const reply = await trail.step('invoke', () => invoke(exchange, caller, admitted, ready, way, deps), NO_REPLY)
  const checked = await trail.step(
    'inspect',
    () => inspect(exchange, caller, admitted, identity, ready, { found, recalled, reply }, deps),
    uninspected(ready),
  )
  await trail.step(
    'remember',
    () => remember(exchange, caller, admitted, identity, ready, { found, recalled, way, reply, checked }, deps),
    nothingKept(checked),
  )
  return { kind: 'answered' }
}
