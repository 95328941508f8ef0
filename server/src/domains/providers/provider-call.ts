import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import type { Choice } from '../../shared/completion.ts'
import type { ProviderCall } from '../../shared/provider-call.ts'
import { upstreamNameOf } from './provider.ts'
import type { Candidate } from './route.ts'

/** The finish reasons of the chat API. Another one is text of the provider and is reported as `other`. */
const FINISH_REASONS = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

/** The times of a request to a provider. Create it when the request starts. */
export class CallTimes {
  readonly startedAt: number
  readonly #start = elapsed()
  firstChunkMs: number | undefined

  constructor(clock: Clock) {
    this.startedAt = clock.now().getTime()
  }

  get ms(): number {
    return elapsed() - this.#start
  }

  /** Call it for each chunk of a stream. */
  readonly onChunk = (): void => {
    this.firstChunkMs ??= this.ms
  }
}

/** The reasons why the choices of a response ended, each once. */
function finishReasonsOf(response: object): ProviderCall['finishReasons'] {
  const { choices } = response as { readonly choices?: readonly Choice[] }
  if (!Array.isArray(choices)) return []
  const reasons = choices.map(({ finish_reason: reason }) => (FINISH_REASONS.has(reason) ? reason : 'other'))
  return [...new Set(reasons)]
}

interface Finished extends Pick<ProviderCall, 'operation' | 'attempt' | 'span'> {
  readonly result: { readonly ok: true; readonly response: object } | { readonly ok: false }
  readonly times: CallTimes
}

export const describeCall = (
  { provider: { kind, preset }, model }: Candidate,
  { result, times: { startedAt, firstChunkMs }, ...call }: Finished,
): ProviderCall => ({
  ...call,
  kind,
  preset,
  upstreamModel: upstreamNameOf(model),
  startedAt,
  firstChunkMs,
  finishReasons: result.ok ? finishReasonsOf(result.response) : [],
})
