import { withoutTools } from '../../providers/answer.ts'
import { invoke as invokeProviders, type InvokeDeps as ProviderDeps } from '../../providers/invoke.ts'
import type { ProviderRequest } from '../../providers/openai-adapter.ts'
import { stubCompletion } from '../../providers/stub.ts'
import type { Admitted, Authorized, Caller, Reply, Route } from '../facts.ts'
import { NO_REPLY } from '../neutral.ts'
import { Passed, refuse, type Step } from '../outcome.ts'
import type { Exchange } from '../request.ts'
import { releasedAnswer } from '../resubmission.ts'

export interface InvokeDeps {
  readonly providerCalls: ProviderDeps
  /** Aborted when the server stops and can't wait any longer (pipeline.ts). */
  readonly cutting: AbortSignal
}

/**
 * Stage 9 of 12: the provider's whole answer, after the retries and fallbacks that the route allows; in a dry run the stub's.
 * A released hold brings its answer along, or asks the provider at most once (decisions.md §2.5). A caller who goes away ends the
 * call, so that nothing is spent on an answer that nobody reads.
 */
export async function invoke(
  { callerGone }: Pick<Exchange, 'callerGone'>,
  { application }: Caller,
  { request }: Admitted,
  { messages, parameters, steering, systemTexts, release }: Authorized,
  { candidates }: Route,
  { providerCalls, cutting }: InvokeDeps,
): Promise<Step<Reply>> {
  const released = releasedAnswer(release)
  if (released) return new Passed({ ...NO_REPLY, ...released })
  const [first] = candidates
  const asked = {
    model: request.model || (first?.model.id ?? application.defaultModel ?? ''),
    messages: [...systemTexts.map((content) => ({ role: 'system', content })), ...messages],
    parameters: bounded(parameters, steering.maxTokens),
  }
  if (!first) {
    // Its real run would have ended before a provider was looked for (08-route.ts), a search looks for none.
    const isImagined = request.dryRun && request.messages.length > 0
    return isImagined ? { ...NO_REPLY, completion: imagined(asked, providerCalls) } : new Passed(NO_REPLY)
  }
  // Whoever comes back for a release gets the same answer: its provider is asked once, so its caller may leave meanwhile.
  const signal = release ? undefined : callerGone()
  const options = {
    dryRun: request.dryRun,
    atMostOnce: release !== undefined,
    ownMessages: systemTexts.length,
    signal: signal ? AbortSignal.any([signal, cutting]) : cutting,
  }
  const result = await invokeProviders(candidates, asked, providerCalls, options)
  if (!result.ok) {
    const reply = { ...NO_REPLY, attempts: result.attempts }
    return signal?.aborted ? refuse('CLIENT_CLOSED_REQUEST', {}, reply) : refuse(result.code, result.fields, reply)
  }
  const completion = application.settings.extensions.includes('tools') ? result.completion : withoutTools(result.completion)
  return { completion, provider: result.provider.id, attempts: result.attempts }
}

/** The answer of a dry run that nobody is eligible for. */
const imagined = (asked: ProviderRequest, { newId, clock }: ProviderDeps) =>
  stubCompletion(asked, { newId, created: Math.floor(clock.now().getTime() / 1_000) })

/** Newer models know the first only, older servers the second; other servers have names of their own. */
const LENGTHS = ['max_completion_tokens', 'max_tokens', 'max_new_tokens', 'num_predict']

/** Directive `max_tokens`: never more than the caller asked for, under each name that the caller used. */
function bounded(
  parameters: Readonly<Record<string, unknown>>,
  maxTokens: number | undefined,
): Readonly<Record<string, unknown>> {
  if (maxTokens === undefined) return parameters
  const used = LENGTHS.filter((name) => name in parameters)
  const limits = (used.length > 0 ? used : ['max_tokens']).map((name) => {
    const asked = parameters[name]
    return [name, typeof asked === 'number' ? Math.min(asked, maxTokens) : maxTokens]
  })
  return { ...parameters, ...Object.fromEntries(limits) }
}
