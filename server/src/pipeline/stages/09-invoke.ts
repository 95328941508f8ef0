import { chatOperation } from '../../domains/providers/chat-operation.ts'
import { embeddingsOperation } from '../../domains/providers/embeddings-operation.ts'
import type { InvokeDeps, InvokeOptions, InvokeResult } from '../../domains/providers/invoke.ts'
import { invoke as invokeProviders } from '../../domains/providers/invoke.ts'
import { limitMaxTokens } from '../../domains/providers/limit-max-tokens.ts'
import type { Operation } from '../../domains/providers/operation.ts'
import { removeToolCalls } from '../../domains/providers/read-completion.ts'
import { releasedCompletion } from '../../domains/review/resubmission.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { nextTurn } from '../../platform/lib/next-turn.ts'
import { refuse, Skipped, type StageReturn, Stop } from '../../shared/outcome.ts'
import type { ReportedUsage } from '../../shared/usage.ts'
import type { GovernDeps } from '../govern.ts'
import { reserveSpending, type SpendingDeps } from '../reserve-spending.ts'
import { type ResponseWatch, watchResponse } from '../response-watch.ts'
import type { Authorized, CallReservation, Invoked, RequestContext, Route } from '../stage-results.ts'
import { NOT_INVOKED } from '../stage-results.ts'

export interface InvokeStageDeps extends Pick<GovernDeps, 'detectors' | 'detectorBudgetMs' | 'reportFault'>, SpendingDeps {
  readonly clock: Clock
  readonly invokeDeps: InvokeDeps
  /** Aborted when the server stops and cannot wait any longer. */
  readonly aborting: AbortSignal
}

/** Stage 9 of 12. A dry run gets a stub. A release delivers its completion, or calls the provider at most once (GW-REV-13). */
export async function invoke(
  context: RequestContext,
  authorized: Authorized,
  route: Route,
  deps: InvokeStageDeps,
  results: { reservation?: CallReservation },
): Promise<StageReturn<Invoked>> {
  const released = releasedCompletion(authorized.release)
  if (released) return new Skipped({ ...NOT_INVOKED, ...released })
  const { application } = context.caller
  const { request } = context.admitted
  // A search needs no completion.
  if (route.candidates.length === 0 && (!request.dryRun || request.messages.length === 0)) return new Skipped()
  const reserved = await reserveSpending(context, authorized, route, deps)
  if (reserved instanceof Stop) return reserved
  if (reserved) results.reservation = reserved
  const model = request.model || (route.candidates[0]?.model.id ?? application.defaultModel ?? '')
  const call: Call = { context, authorized, route, deps }
  if (context.incoming.endpoint === 'embeddings') {
    const inputs = authorized.messages.map(({ content }) => String(content ?? ''))
    const result = await send(embeddingsOperation({ model, inputs, parameters: authorized.parameters }), call)
    if (result instanceof Stop) return result
    const { response: embeddings, ...invoked } = result
    return { ...invoked, completion: undefined, embeddings }
  }
  const { messages, parameters, directives, systemTexts, context: hits } = authorized
  const chat = {
    model,
    messages,
    parameters: limitMaxTokens(parameters, directives.maxTokens),
    added: { systemTexts, context: hits },
    original: request.source && { ...request.source, messages: request.messages, parameters: request.parameters },
  }
  const { clock, invokeDeps } = deps
  const newHead = () => ({ id: invokeDeps.newId('chatcmpl'), created: Math.floor(clock.now().getTime() / 1_000), model })
  const watch = watchResponse(context, authorized, newHead, deps)
  const result = await send(chatOperation(chat, watch), call, { addedMessages: systemTexts.length, watch }).finally(() =>
    watch?.close(),
  )
  await nextTurn()
  if (watch?.denial) {
    const { attempts } = result instanceof Stop ? (result.partial ?? NOT_INVOKED) : result
    return { ...NOT_INVOKED, attempts, denial: watch.denial }
  }
  if (result instanceof Stop) return result
  const { response: received, ...invoked } = result
  const response = watch?.head ? { ...received, ...watch.head } : received
  return { ...invoked, completion: application.settings.extensions.includes('tools') ? response : removeToolCalls(response) }
}

interface Call {
  readonly context: RequestContext
  readonly authorized: Authorized
  readonly route: Route
  readonly deps: InvokeStageDeps
}

type Sent<Response> = Pick<Invoked, 'provider' | 'attempts'> & { readonly response: Response }

async function send<Response extends { readonly usage?: ReportedUsage }>(
  operation: Operation<Response>,
  { context: { incoming, admitted }, authorized: { release }, route: { candidates }, deps: { invokeDeps, aborting } }: Call,
  { watch, ...more }: Pick<InvokeOptions, 'addedMessages'> & { readonly watch?: ResponseWatch | undefined } = {},
): Promise<Sent<Response> | Stop<Invoked>> {
  const { dryRun } = admitted.request
  if (candidates.length === 0) {
    // A dry run without a provider would have been denied or held before (08-route.ts).
    const created = Math.floor(invokeDeps.clock.now().getTime() / 1_000)
    return { provider: '', attempts: [], response: operation.stub({ newId: invokeDeps.newId, created }) }
  }
  // The completion of a release is kept for the next resubmission, so the client may leave.
  const closed = release ? undefined : incoming.clientSignal()
  const hasLeft = () => incoming.early !== undefined && incoming.early.sent !== ''
  const signal = closed && watch ? watch.cancelledWith(closed) : (closed ?? aborting)
  const options = { dryRun, atMostOnce: release !== undefined, hasLeft, ...more, signal }
  const result: InvokeResult<Response> = await invokeProviders(candidates, operation, invokeDeps, options)
  const { attempts } = result
  if (result.ok) return { provider: result.provider.id, attempts, response: result.response }
  const invoked = { ...NOT_INVOKED, attempts }
  return closed?.aborted ? refuse('CLIENT_CLOSED_REQUEST', {}, invoked) : refuse(result.code, result.fields, invoked)
}
