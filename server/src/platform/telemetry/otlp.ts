import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as spans } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { sumOf } from '../../shared/usage.ts'
import type { Sample, TraceContext } from '../lib/trace-context.ts'
import type { FinishedRequest, Tracing } from './finished-request.ts'
import { callAttributes, errorTypeOf, GEN_AI_SCHEMA_URL } from './gen-ai.ts'
import { type OnExport, type OtlpProtocol, resourceOf, spanExporter } from './otlp-exporter.ts'

interface TracingOptions {
  readonly nodeName: string
  readonly version: string
  readonly protocol: OtlpProtocol
  readonly sampler: { readonly followsParent: boolean; readonly ratio: number }
  readonly onExport: OnExport
}

/** Sends spans over OTLP. This module is loaded only if a collector is configured, because OpenTelemetry is large. */
export function openTracing({ nodeName, version, protocol, sampler, onExport }: TracingOptions): Tracing {
  const ids = new RequestIds()
  const provider = new BasicTracerProvider({
    resource: resourceOf(nodeName, version),
    idGenerator: ids,
    sampler: ids,
    spanProcessors: [new BatchSpanProcessor(spanExporter(protocol, onExport))],
  })
  const tracer = provider.getTracer('gatehouse', version, { schemaUrl: GEN_AI_SCHEMA_URL })
  return {
    sample: createSample(sampler),
    /** A span with a child for each stage that was not skipped. */
    recordSpan(request, trace) {
      const options = { kind: SpanKind.SERVER, startTime: request.startedAt, attributes: attributesOf(request) }
      const parent = tracer.startSpan(request.endpoint, options, ids.contextOf(trace))
      if (request.status >= 500) parent.setStatus({ code: SpanStatusCode.ERROR })
      const context = spans.setSpan(ROOT_CONTEXT, parent)
      for (const stage of request.stages) {
        if (stage.outcome === 'skipped') continue
        const startTime = request.startedAt + stage.startMs
        const child = tracer.startSpan(stage.name, { startTime, attributes: { 'gatehouse.outcome': stage.outcome } }, context)
        child.end(startTime + stage.ms)
      }
      parent.end(request.startedAt + request.ms)
    },
    recordCall(call) {
      if (call.span === undefined) return
      const options = { kind: SpanKind.CLIENT, startTime: call.startedAt, attributes: callAttributes(call) }
      const span = tracer.startSpan(`${call.operation} ${call.attempt.model}`, options, ids.contextOf(call.span))
      if (errorTypeOf(call) !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(call.startedAt + call.attempt.ms)
    },
    close: () => provider.shutdown(),
  }
}

function createSample({ followsParent, ratio }: TracingOptions['sampler']): Sample {
  const byRatio = new TraceIdRatioBasedSampler(ratio)
  return (traceId, parentIsSampled) => {
    if (followsParent && parentIsSampled !== undefined) return parentIsSampled
    return byRatio.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED
  }
}

/** Gives spans the ids that upstream requests carried, and the sampling decision that was made when their request began. */
class RequestIds implements IdGenerator, Sampler {
  readonly #random = new RandomIdGenerator()
  /** Traces whose span id is used. One HTTP request can run the pipeline several times; only the first run gets its span id. */
  readonly #used = new WeakSet<TraceContext>()
  #traceId: string | undefined
  #spanId: string | undefined
  #isSampled = true

  /** The parent of the next span. Start that span immediately, because the ids are kept in this object. */
  contextOf(trace: TraceContext | undefined): Context {
    this.#traceId = this.#spanId = undefined
    this.#isSampled = true
    if (trace === undefined) return ROOT_CONTEXT
    const { traceId, parentId, spanId, flags } = trace
    const traceFlags = Number.parseInt(flags, 16)
    this.#isSampled = (traceFlags & 1) === 1
    const isFirst = !this.#used.has(trace)
    this.#used.add(trace)
    if (isFirst) {
      this.#traceId = traceId
      this.#spanId = spanId
    }
    const parent = isFirst ? parentId : spanId
    if (parent === undefined) return ROOT_CONTEXT
    return spans.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parent, traceFlags, isRemote: true })
  }

  generateTraceId = (): string => this.#traceId ?? this.#random.generateTraceId()

  generateSpanId = (): string => {
    const spanId = this.#spanId ?? this.#random.generateSpanId()
    this.#spanId = undefined
    return spanId
  }

  shouldSample(context: Context): { decision: SamplingDecision } {
    const parent = spans.getSpanContext(context)
    const isSampled = parent ? (parent.traceFlags & 1) === 1 : this.#isSampled
    return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD }
  }
}

/** Attributes of the GenAI semantic conventions, and own ones for the rest. */
const attributesOf = ({ endpoint, requestId, auditId, status, model, provider, attempts }: FinishedRequest) => ({
  'http.response.status_code': status,
  'gatehouse.request_id': requestId,
  ...(auditId && { 'gatehouse.audit_id': auditId }),
  ...((endpoint === 'chat' || endpoint === 'embeddings') && { 'gen_ai.operation.name': endpoint }),
  ...(model && { 'gen_ai.request.model': model }),
  ...(provider && { 'gatehouse.provider': provider }),
  ...(sumOf(attempts, 'prompt_tokens') > 0 && usageAttributes(attempts)),
})

/** Tokens of all attempts. The cached ones are part of the input, the reasoning is part of the output. */
const usageAttributes = (attempts: FinishedRequest['attempts']) => ({
  'gen_ai.usage.input_tokens': sumOf(attempts, 'prompt_tokens'),
  'gen_ai.usage.cache_read.input_tokens': sumOf(attempts, 'cache_read_tokens'),
  'gen_ai.usage.cache_creation.input_tokens': sumOf(attempts, 'cache_write_tokens'),
  'gen_ai.usage.output_tokens': sumOf(attempts, 'completion_tokens'),
  'gen_ai.usage.reasoning.output_tokens': sumOf(attempts, 'reasoning_tokens'),
})
