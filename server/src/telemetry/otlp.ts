import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { ExchangeSpan, Tracing } from './exchange-span.ts'

/** The real one. Loaded by tracing.ts, and only where a collector is configured. */
export function openTelemetryTracing(url: string): Tracing {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'gatehouse' }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  })
  const tracer = provider.getTracer('gatehouse')
  return {
    exchange(exchange) {
      const parent = tracer.startSpan(exchange.endpoint, {
        kind: SpanKind.SERVER,
        startTime: exchange.startedAt,
        attributes: attributesOf(exchange),
      })
      if (exchange.status >= 500) parent.setStatus({ code: SpanStatusCode.ERROR })
      const context = trace.setSpan(ROOT_CONTEXT, parent)
      for (const stage of exchange.stages) {
        if (stage.outcome === 'skipped') continue
        const startTime = exchange.startedAt + stage.startMs
        const child = tracer.startSpan(stage.name, { startTime, attributes: { 'gatehouse.outcome': stage.outcome } }, context)
        child.end(startTime + stage.ms)
      }
      parent.end(exchange.startedAt + exchange.ms)
    },
    close: () => provider.shutdown(),
  }
}

/** GenAI semantic conventions where they have a name for it. */
const attributesOf = ({ endpoint, requestId, auditId, status, model, provider }: ExchangeSpan) => ({
  'http.response.status_code': status,
  'gatehouse.request_id': requestId,
  ...(auditId && { 'gatehouse.audit_id': auditId }),
  ...(endpoint === 'chat' && { 'gen_ai.operation.name': 'chat' }),
  ...(model && { 'gen_ai.request.model': model }),
  ...(provider && { 'gen_ai.provider.name': provider }),
})
