import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace as spans } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base'
import type { TraceContext } from '../lib/trace-context.ts'
import type { RequestSpan, Tracing } from './request-span.ts'

/** The real one. Loaded by tracing.ts, and only where a collector is configured. */
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

/** Gives the span of a request the ids that were sent on with its calls. */
class RequestIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  /** Span ids that have been given: a request may hold several exchanges, and only the first is its own span. */
  readonly #given = new WeakSet<TraceContext>()
  #traceId: string | undefined
  #spanId: string | undefined

  /** Where the next span belongs. It is started at once. */
  contextOf(trace: TraceContext | undefined): Context {
    this.#traceId = this.#spanId = undefined
    if (trace === undefined) return ROOT_CONTEXT
    const { traceId, parentId, spanId, flags } = trace
    const isFirst = !this.#given.has(trace)
    this.#given.add(trace)
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

  /** The children of a span have ids of their own. */
  generateSpanId = (): string => {
    const spanId = this.#spanId ?? this.#random.generateSpanId()
    this.#spanId = undefined
    return spanId
  }
}

/** GenAI semantic conventions where they have a name for it. */
const attributesOf = ({ endpoint, requestId, auditId, status, model, provider }: RequestSpan) => ({
  'http.response.status_code': status,
  'gatehouse.request_id': requestId,
  ...(auditId && { 'gatehouse.audit_id': auditId }),
  ...(endpoint === 'chat' && { 'gen_ai.operation.name': 'chat' }),
  ...(model && { 'gen_ai.request.model': model }),
  ...(provider && { 'gen_ai.provider.name': provider }),
})
