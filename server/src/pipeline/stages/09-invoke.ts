import { refuse, Skipped, type StageReturn } from '../../domain/outcome.ts'
import { withEitherSignal } from '../../lib/either-signal.ts'
import { type InvokeDeps, invoke as invokeProviders } from '../../providers/invoke.ts'
import { limitMaxTokens } from '../../providers/limit-max-tokens.ts'
import { removeToolCalls } from '../../providers/read-completion.ts'
import { stubCompletion } from '../../providers/stub.ts'
import { releasedCompletion } from '../../review/resubmission.ts'
import { type Authorized, type Invoked, NOT_INVOKED, type RequestContext, type Route } from '../stage-results.ts'

export interface InvokeStageDeps {
  readonly invokeDeps: InvokeDeps
  /** Aborted when the server stops and cannot wait any longer. */
  readonly aborting: AbortSignal
}

/**
 * Stage 9 of 12: calls the providers of the route, with retries and fallbacks; a dry run gets a stub completion. A release delivers its
 * completion, or calls the provider at most once (GW-REV-13). The call ends when the client closes the connection.
 */
export async function invoke(
  { incoming, caller: { application }, admitted: { request } }: RequestContext,
  { messages, parameters, steering, systemTexts, release }: Authorized,
  { candidates }: Route,
  { invokeDeps, aborting }: InvokeStageDeps,
): Promise<StageReturn<Invoked>> {
  const released = releasedCompletion(release)
  if (released) return new Skipped({ ...NOT_INVOKED, ...released })
  const [first] = candidates
  const providerRequest = {
    model: request.model || (first?.model.id ?? application.defaultModel ?? ''),
    messages: [...systemTexts.map((content) => ({ role: 'system', content })), ...messages],
    parameters: limitMaxTokens(parameters, steering.maxTokens),
  }
  if (!first) {
    // A search needs no completion; a dry run without a provider would have been denied or held before (08-route.ts).
    if (!request.dryRun || request.messages.length === 0) return new Skipped()
    const created = Math.floor(invokeDeps.clock.now().getTime() / 1_000)
    return { ...NOT_INVOKED, completion: stubCompletion(providerRequest, { newId: invokeDeps.newId, created }) }
  }
  // The completion of a release is kept for the next resubmission, so the client may leave.
  const closed = release ? undefined : incoming.clientSignal()
  const options = { dryRun: request.dryRun, atMostOnce: release !== undefined, addedMessages: systemTexts.length }
  const call = (signal: AbortSignal) => invokeProviders(candidates, providerRequest, invokeDeps, { ...options, signal })
  const result = await (closed ? withEitherSignal(closed, aborting, call) : call(aborting))
  if (!result.ok) {
    const invoked = { ...NOT_INVOKED, attempts: result.attempts }
    return closed?.aborted ? refuse('CLIENT_CLOSED_REQUEST', {}, invoked) : refuse(result.code, result.fields, invoked)
  }
  const completion = application.settings.extensions.includes('tools') ? result.completion : removeToolCalls(result.completion)
  return { completion, provider: result.provider.id, attempts: result.attempts }
}
