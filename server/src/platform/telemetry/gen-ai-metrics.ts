import type { Registry } from 'prom-client'
import type { ProviderCall } from '../../shared/provider-call.ts'
import { DURATION_BUCKETS, errorTypeOf, FIRST_CHUNK_BUCKETS, providerNameOf, TOKEN_BUCKETS } from './gen-ai.ts'
import { Histogram } from './labelled-metrics.ts'

const CALL_LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model', 'gen_ai_response_model'] as const

/**
 * The client metrics of the GenAI semantic conventions, in Prometheus' form of their names. Over OTLP they have their original names
 * (otlp-names.ts).
 */
export class GenAiMetrics {
  readonly #tokens: Histogram<(typeof CALL_LABELS)[number] | 'gen_ai_token_type'>
  readonly #duration: Histogram<(typeof CALL_LABELS)[number] | 'error_type'>
  readonly #firstChunk: Histogram<(typeof CALL_LABELS)[number]>

  constructor(registry: Registry) {
    this.#tokens = new Histogram(
      {
        name: 'gen_ai_client_token_usage',
        help: 'Input and output tokens of a provider call.',
        labelNames: [...CALL_LABELS, 'gen_ai_token_type'],
        registry,
      },
      TOKEN_BUCKETS,
    )
    this.#duration = new Histogram(
      {
        name: 'gen_ai_client_operation_duration_seconds',
        help: 'Duration of a provider call.',
        labelNames: [...CALL_LABELS, 'error_type'],
        registry,
      },
      DURATION_BUCKETS,
    )
    this.#firstChunk = new Histogram(
      {
        name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
        help: 'Time until the first event of a streamed response.',
        labelNames: CALL_LABELS,
        registry,
      },
      FIRST_CHUNK_BUCKETS,
    )
  }

  observe(call: ProviderCall): void {
    const { operation, attempt, upstreamModel, firstChunkMs } = call
    const errorType = errorTypeOf(call)
    const labels = {
      gen_ai_operation_name: operation,
      gen_ai_provider_name: providerNameOf(call),
      gen_ai_request_model: attempt.model,
      ...(errorType === undefined && { gen_ai_response_model: upstreamModel }),
    }
    this.#duration.observe({ ...labels, ...(errorType !== undefined && { error_type: errorType }) }, attempt.ms / 1_000)
    if (firstChunkMs !== undefined) this.#firstChunk.observe(labels, firstChunkMs / 1_000)
    const { prompt_tokens: input, completion_tokens: output } = attempt
    if (input !== undefined) this.#tokens.observe({ ...labels, gen_ai_token_type: 'input' }, input)
    if (output !== undefined) this.#tokens.observe({ ...labels, gen_ai_token_type: 'output' }, output)
  }
}
