import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base'
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  MetricsExporterMetricsHelper,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer'
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'

// The SDK reads endpoint, headers, timeout, compression and certificates from the environment (docs/configuration.md).

export type OtlpProtocol = 'http/protobuf' | 'http/json'
export type OtlpSignal = 'traces' | 'metrics'

export type OnExport = (signal: OtlpSignal, succeeded: boolean) => void

const CONTENT_TYPES = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' } as const

export function spanExporter(protocol: OtlpProtocol, onExport: OnExport): SpanExporter {
  const options = convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': CONTENT_TYPES[protocol] })
  const serializer = protocol === 'http/json' ? JsonTraceSerializer : ProtobufTraceSerializer
  const component = 'otlp_http_span_exporter'
  const delegate = createOtlpHttpExportDelegate(options, serializer, component, TraceExporterMetricsHelper, undefined)
  return observed('traces', new OTLPExporterBase(delegate), onExport)
}

export function metricExporter(protocol: OtlpProtocol, onExport: OnExport): PushMetricExporter {
  const options = convertLegacyHttpOptions({}, 'METRICS', 'v1/metrics', { 'Content-Type': CONTENT_TYPES[protocol] })
  const serializer = protocol === 'http/json' ? JsonMetricsSerializer : ProtobufMetricsSerializer
  const component = 'otlp_http_metric_exporter'
  const delegate = createOtlpHttpExportDelegate(options, serializer, component, MetricsExporterMetricsHelper, undefined)
  return observed('metrics', new OTLPExporterBase(delegate), onExport)
}

/** The exporter, with each outcome reported. The error is not, because it may quote the collector's response. */
function observed<Items>(signal: OtlpSignal, exporter: OTLPExporterBase<Items>, onExport: OnExport): OTLPExporterBase<Items> {
  const send = exporter.export.bind(exporter)
  exporter.export = (items, resultCallback) =>
    send(items, (result) => {
      onExport(signal, result.error === undefined && result.code === 0)
      resultCallback(result)
    })
  return exporter
}

/** Attributes of this server; those of OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence. */
export const resourceOf = (nodeName: string, version: string): Resource =>
  resourceFromAttributes({
    'service.name': 'gatehouse',
    'service.version': version,
    'service.instance.id': nodeName,
    'host.name': nodeName,
  }).merge(detectResources({ detectors: [envDetector] }))
