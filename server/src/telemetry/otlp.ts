import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as spans } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base'
import { sumOf } from '../domain/usage.ts'
import type { TraceContext } from '../lib/trace-context.ts'
import type { RequestSpan, Tracing } from './request-span.ts'

/** Loaded by tracing.ts if a collector is configured. */
export function openTelemetryTracing(url: string, resource: Readonly<Record<string, string>>): Tracing {
  const ids = new RequestIds()
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(resource),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  })
  const tracer = provider.getTracer('gatehouse')
  return {
    recordSpan(request) {
      const parent = tracer.startSpan(
        request.endpoint,
        {
          kind: SpanKind.SERVER,
          startTime: request.startedAt,
          attributes: attributesOf(request),
        },
        ids.contextOf(request.trace),
      )
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
    close: () => provider.shutdown(),
  }
}

/** Gives the span of a request the ids that its upstream requests carried. */
class RequestIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  /** Traces whose span id is used. One HTTP request can run the pipeline several times; only the first run gets its span id. */
  readonly #used = new WeakSet<TraceContext>()
  #traceId: string | undefined
  #spanId: string | undefined

  /** The parent of the next span. Start that span immediately, because the ids are kept in this object. */
  contextOf(trace: TraceContext | undefined): Context {
    this.#traceId = this.#spanId = undefined
    if (trace === undefined) return ROOT_CONTEXT
    const { traceId, parentId, spanId, flags } = trace
    const isFirst = !this.#used.has(trace)
    this.#used.add(trace)
    if (isFirst) {
      this.#traceId = traceId
      this.#spanId = spanId
    }
    const parent = isFirst ? parentId : spanId
    if (parent === undefined) return ROOT_CONTEXT
    return spans.setSpanContext(ROOT_CONTEXT, {
      traceId,
      spanId: parent,
      traceFlags: Number.parseInt(flags, 16),
      isRemote: true,
    })
  }

  generateTraceId = (): string => this.#traceId ?? this.#random.generateTraceId()

  /** Child spans get random ids. */
  generateSpanId = (): string => {
    const spanId = this.#spanId ?? this.#random.generateSpanId()
    this.#spanId = undefined
    return spanId
  }
}

/** Attributes of the GenAI semantic conventions, and own ones for the rest. */
const attributesOf = ({ endpoint, requestId, auditId, status, model, provider, attempts }: RequestSpan) => ({
  'http.response.status_code': status,
  'gatehouse.request_id': requestId,
  ...(auditId && { 'gatehouse.audit_id': auditId }),
  ...((endpoint === 'chat' || endpoint === 'embeddings') && { 'gen_ai.operation.name': endpoint }),
  ...(model && { 'gen_ai.request.model': model }),
  ...(provider && { 'gen_ai.provider.name': provider }),
  ...(sumOf(attempts, 'prompt_tokens') > 0 && usageAttributes(attempts)),
})

/** Tokens of all attempts. The cached ones are part of the input, the reasoning is part of the output. */
const usageAttributes = (attempts: RequestSpan['attempts']) => ({
  'gen_ai.usage.input_tokens': sumOf(attempts, 'prompt_tokens'),
  'gen_ai.usage.cache_read.input_tokens': sumOf(attempts, 'cache_read_tokens'),
  'gen_ai.usage.cache_creation.input_tokens': sumOf(attempts, 'cache_write_tokens'),
  'gen_ai.usage.output_tokens': sumOf(attempts, 'completion_tokens'),
  'gen_ai.usage.reasoning.output_tokens': sumOf(attempts, 'reasoning_tokens'),
})
