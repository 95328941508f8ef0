import type { TraceContext } from '../platform/lib/trace-context.ts'
import type { ProviderAttempt } from './completion.ts'

/** One request to a provider, as telemetry sees it. Never content. */
export interface ProviderCall {
  readonly operation: 'chat' | 'embeddings'
  /** Kind and preset of the provider (domains/providers/kinds.ts, domains/providers/presets.ts). */
  readonly kind: string
  readonly preset: string | null
  readonly attempt: ProviderAttempt
  readonly upstreamModel: string
  readonly startedAt: number
  /** Milliseconds until the first event of a stream; undefined: the response was not a stream, or there was none. */
  readonly firstChunkMs: number | undefined
  /** Empty if the call failed. */
  readonly finishReasons: readonly string[]
  /** The span of the call; undefined: no spans are recorded. */
  readonly span: TraceContext | undefined
}
