import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { ConfigError } from './environment.ts'
import { readTelemetryConfig } from './telemetry.ts'

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

test('readTelemetryConfig: exports nothing and uses the host name when no variable is set', () => {
  expect(readTelemetryConfig({})).toEqual({ nodeName: hostname(), spans: undefined, metrics: undefined })
})

test('readTelemetryConfig: exports spans and metrics in protobuf when there is an endpoint for all signals [ADM-ENV-13]', () => {
  expect(readTelemetryConfig({ ...COLLECTOR, GATEHOUSE_NODE_NAME: 'a' })).toEqual({
    nodeName: 'a',
    spans: { protocol: 'http/protobuf', sampler: { followsParent: true, ratio: 1 } },
    metrics: { protocol: 'http/protobuf', intervalMs: 60_000, timeoutMs: 30_000 },
  })
})

test.each([
  [{ OTEL_SDK_DISABLED: 'true' }, false, false],
  [{ OTEL_METRICS_EXPORTER: 'none' }, true, false],
  [{ OTEL_METRICS_EXPORTER: 'prometheus' }, true, false],
  [{ OTEL_TRACES_EXPORTER: 'none' }, false, true],
])('readTelemetryConfig: leaves out the signals that %j switches off', (env, spans, metrics) => {
  const config = readTelemetryConfig({ ...COLLECTOR, ...env })
  expect([config.spans !== undefined, config.metrics !== undefined]).toEqual([spans, metrics])
})

test.each([
  ['always_off', undefined, { followsParent: false, ratio: 0 }],
  ['traceidratio', '0.25', { followsParent: false, ratio: 0.25 }],
  ['parentbased_traceidratio', '0.1', { followsParent: true, ratio: 0.1 }],
])('readTelemetryConfig: reads the sampler when it is %s', (name, ratio, sampler) => {
  const env = { ...COLLECTOR, OTEL_TRACES_SAMPLER: name, ...(ratio !== undefined && { OTEL_TRACES_SAMPLER_ARG: ratio }) }
  expect(readTelemetryConfig(env).spans?.sampler).toEqual(sampler)
})

test.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be one of http/protobuf, http/json'],
  ['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'grpc', 'must be one of http/protobuf, http/json'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be an http or https URL'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s', 'must be a whole number greater than 0'],
  ['OTEL_BSP_SCHEDULE_DELAY', '-1', 'must be a whole number greater than 0'],
  ['OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'zstd', 'must be one of none, gzip'],
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be one of otlp, none'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'team', 'must have the form key=value'],
  ['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', 'delta', 'must be one of cumulative'],
  ['OTEL_SDK_DISABLED', 'maybe', 'must be one of true, false'],
  ['GATEHOUSE_NODE_NAME', 'a b', 'must have 1 to 100 letters'],
])('readTelemetryConfig: refuses %s=%s, which the SDK would ignore [ADM-ENV-13]', (name, value, message) => {
  const read = () => readTelemetryConfig({ ...COLLECTOR, [name]: value })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(`${name} ${message}`)
})

test('readTelemetryConfig: refuses a share of traces above 1', () => {
  const env = { ...COLLECTOR, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }
  expect(() => readTelemetryConfig(env)).toThrow('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
})
