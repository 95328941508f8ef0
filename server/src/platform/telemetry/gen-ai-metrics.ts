import type { Registry } from 'prom-client'
import type { ProviderCall } from '../../shared/provider-call.ts'
import { DURATION_BUCKETS, errorTypeOf, FIRST_CHUNK_BUCKETS, providerNameOf, TOKEN_BUCKETS } from './gen-ai.ts'
import { Histogram } from './labelled-metrics.ts'

const CALL_LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model', 'gen_ai_response_model'] as const

/**
 * Registers the client metrics of the GenAI semantic conventions, in Prometheus' form of their names; over OTLP they have their original
 * names (otlp-metrics.ts). Returns the function that observes a call.
 */
export function genAiMetrics(registry: Registry): (call: ProviderCall) => void {
  const histogram = <L extends string>(name: string, help: string, buckets: readonly number[], own: readonly L[]) =>
    new Histogram<(typeof CALL_LABELS)[number] | L>({ name, help, labelNames: [...CALL_LABELS, ...own], registry }, buckets)
  const tokens = 'Input and output tokens of a provider call.'
  const tokenUsage = histogram('gen_ai_client_token_usage', tokens, TOKEN_BUCKETS, ['gen_ai_token_type'])
  const duration = 'gen_ai_client_operation_duration_seconds'
  const durations = histogram(duration, 'Duration of a provider call.', DURATION_BUCKETS, ['error_type'])
  const firstChunk = 'gen_ai_client_operation_time_to_first_chunk_seconds'
  const firstChunks = histogram(firstChunk, 'Time until the first event of a streamed response.', FIRST_CHUNK_BUCKETS, [])
  return (call) => {
    const { operation, attempt, upstreamModel, firstChunkMs } = call
    const errorType = errorTypeOf(call)
    const labels = {
      gen_ai_operation_name: operation,
      gen_ai_provider_name: providerNameOf(call),
      gen_ai_request_model: attempt.model,
      ...(errorType === undefined && { gen_ai_response_model: upstreamModel }),
    }
    durations.observe({ ...labels, ...(errorType !== undefined && { error_type: errorType }) }, attempt.ms / 1_000)
    if (firstChunkMs !== undefined) firstChunks.observe(labels, firstChunkMs / 1_000)
    const { prompt_tokens: input, completion_tokens: output } = attempt
    if (input !== undefined) tokenUsage.observe({ ...labels, gen_ai_token_type: 'input' }, input)
    if (output !== undefined) tokenUsage.observe({ ...labels, gen_ai_token_type: 'output' }, output)
  }
}
