import { ValueType } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client'
import type { Clock } from '../lib/clock.ts'
import { GEN_AI_SCHEMA_URL } from './gen-ai.ts'
import { metricExporter, type OnExport, type OtlpProtocol, resourceOf } from './otlp-exporter.ts'
import type { Snapshot } from './snapshots.ts'

interface MetricsExportOptions {
  readonly nodeName: string
  readonly version: string
  readonly protocol: OtlpProtocol
  readonly intervalMs: number
  readonly timeoutMs: number
  readonly onExport: OnExport
}

/** Of this process, or of all processes of the node. */
type Read = () => Promise<Snapshot>

/** Sends the metrics over OTLP at intervals. Returns the function that sends them once more and ends the export. */
export function exportMetrics(read: Read, clock: Clock, options: MetricsExportOptions): () => Promise<void> {
  const { nodeName, version, protocol, intervalMs, timeoutMs, onExport } = options
  const resource = resourceOf(nodeName, version)
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter(protocol, onExport),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: timeoutMs,
    metricProducers: [createProducer(read, clock, resource, version)],
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return () => provider.shutdown()
}

/** Reads the metrics in the form of OTLP, so that both exports have the same values. */
function createProducer(read: Read, clock: Clock, resource: Resource, version: string): MetricProducer {
  const startTime = hrTime(clock.now())
  const scope = { name: 'gatehouse', version, schemaUrl: GEN_AI_SCHEMA_URL }
  return {
    async collect(): Promise<CollectionResult> {
      const all = (await read()) as unknown as readonly Metric[]
      const times = { startTime, endTime: hrTime(clock.now()) }
      const metrics = all.flatMap((metric) => toMetricData(metric, times))
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] }
    },
  }
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>
type Metric = MetricObjectWithValues<MetricValue<string>>

/** Returns nothing for a metric without values. */
export function toMetricData(metric: Metric, times: Times): MetricData[] {
  if (metric.values.length === 0) return []
  const base = { descriptor: descriptorOf(metric), aggregationTemporality: AggregationTemporality.CUMULATIVE }
  const type = metric.type as unknown as string
  if (type === 'histogram') {
    const points = histogramPoints(metric.values as MetricValueWithName<string>[], times)
    return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: points }]
  }
  const dataPoints = metric.values.map(({ value, labels }) => ({ ...times, attributes: attributesOf(labels), value }))
  if (type === 'counter') return [{ ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }]
  return [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints }]
}

/** Turns the cumulative buckets of Prometheus into counts per bucket. */
function histogramPoints(values: readonly MetricValueWithName<string>[], times: Times): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  return [...series].map(([key, members]) => {
    const buckets = members.filter(({ labels }) => labels.le !== undefined)
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0))
    const boundaries = buckets.flatMap(({ labels }) => (labels.le === '+Inf' ? [] : [Number(labels.le)]))
    const numberOf = (suffix: string) => members.find(({ metricName = '' }) => metricName.endsWith(suffix))?.value ?? 0
    const value = { buckets: { boundaries, counts }, sum: numberOf('_sum'), count: numberOf('_count') }
    return { ...times, attributes: attributesOf(JSON.parse(key)), value }
  })
}

/** Names of the conventions by their Prometheus form, where the form cannot be converted back. */
const NAMES: Readonly<Record<string, { readonly name: string; readonly unit: string }>> = {
  gen_ai_client_token_usage: { name: 'gen_ai.client.token.usage', unit: '{token}' },
  gen_ai_client_operation_duration_seconds: { name: 'gen_ai.client.operation.duration', unit: 's' },
  gen_ai_client_operation_time_to_first_chunk_seconds: { name: 'gen_ai.client.operation.time_to_first_chunk', unit: 's' },
}

function descriptorOf({ name, help }: Metric) {
  const named = NAMES[name] ?? { name, unit: /_seconds$/.test(name) ? 's' : '' }
  return { ...named, description: help, valueType: ValueType.DOUBLE }
}

const GEN_AI_LABEL = /^gen_ai_(operation|provider|request|response|token)_(\w+)$/

/** Labels of the conventions get their original names: `gen_ai_request_model` is `gen_ai.request.model`. */
const attributesOf = (labels: Partial<Record<string, string | number>>): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([label, value]) => {
      const name = label === 'error_type' ? 'error.type' : label.replace(GEN_AI_LABEL, 'gen_ai.$1.$2')
      return value === undefined ? [] : [[name, value]]
    }),
  )

const hrTime = (time: Date): [number, number] => {
  const ms = time.getTime()
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000]
}
