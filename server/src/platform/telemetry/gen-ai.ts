import type { Registry } from 'prom-client'
import type { ProviderCall } from '../../shared/provider-call.ts'
import { Histogram } from './labelled-metrics.ts'

/**
 * Schema of the GenAI semantic conventions that spans and metrics follow. All of it has the status "development".
 * Source: https://github.com/open-telemetry/semantic-conventions-genai/blob/004902b8cb70aa5ae6ca4ae07132b7daabcd3e10/docs/gen-ai
 */
export const GEN_AI_SCHEMA_URL = 'https://opentelemetry.io/schemas/gen-ai/1.42.0'

/** Bucket boundaries that the conventions give for tokens. */
const TOKEN_BUCKETS = Array.from({ length: 14 }, (_, power) => 4 ** power)
/** Bucket boundaries that the conventions give for durations, in seconds. */
const DURATION_BUCKETS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power)
const FIRST_CHUNK_BUCKETS = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** `gen_ai.provider.name` by preset, then by kind of the provider, where it differs. Other values are allowed. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  'azure-openai': 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
}

/** `gen_ai.provider.name`: the API's vendor, not the operator's id of the provider. */
const providerNameOf = ({ kind, preset }: Pick<ProviderCall, 'kind' | 'preset'>): string => {
  const name = preset ?? kind
  return PROVIDER_NAMES[name] ?? name
}

/** `error.type`: the status of an error response, else the name of the failure; undefined: the call succeeded. */
export const errorTypeOf = ({ attempt: { outcome, status } }: Pick<ProviderCall, 'attempt'>): string | undefined =>
  outcome === 'ok' ? undefined : outcome === 'status' ? String(status) : outcome

export function callAttributes(call: ProviderCall): Record<string, string | number | string[]> {
  const { operation, attempt, upstreamModel, firstChunkMs, finishReasons } = call
  const { provider, model, status, prompt_tokens: input, completion_tokens: output } = attempt
  const errorType = errorTypeOf(call)
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': providerNameOf(call),
    'gen_ai.request.model': model,
    'gatehouse.provider': provider,
    ...(status > 0 && { 'http.response.status_code': status }),
    ...(errorType === undefined ? { 'gen_ai.response.model': upstreamModel } : { 'error.type': errorType }),
    ...(finishReasons.length > 0 && { 'gen_ai.response.finish_reasons': [...finishReasons] }),
    ...(firstChunkMs !== undefined && { 'gen_ai.response.time_to_first_chunk': firstChunkMs / 1_000 }),
    ...(input !== undefined && { 'gen_ai.usage.input_tokens': input }),
    ...(output !== undefined && { 'gen_ai.usage.output_tokens': output }),
    ...(input !== undefined && {
      'gen_ai.usage.cache_read.input_tokens': attempt.cache_read_tokens ?? 0,
      'gen_ai.usage.cache_creation.input_tokens': attempt.cache_write_tokens ?? 0,
      'gen_ai.usage.reasoning.output_tokens': attempt.reasoning_tokens ?? 0,
    }),
  }
}

const CALL_LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model', 'gen_ai_response_model'] as const

/** Registers the client metrics of the GenAI conventions, with names in Prometheus' form. Returns the function that observes a call. */
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
