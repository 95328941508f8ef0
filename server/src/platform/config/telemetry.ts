import { hostname } from 'node:os'
import { ConfigError, type Environment, oneOf } from './environment.ts'

const PROTOCOLS = ['http/protobuf', 'http/json'] as const

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const NODE_NAME = /^[\w.:-]{1,100}$/
const NUMBERS = /^OTEL_(BSP_\w+|METRIC_EXPORT_\w+|(SPAN_|EVENT_|LINK_)?\w+_LIMIT|EXPORTER_OTLP_(TRACES_|METRICS_)?TIMEOUT)$/
const ENDPOINTS = /^OTEL_EXPORTER_OTLP_(TRACES_|METRICS_)?ENDPOINT$/
const COMPRESSIONS = /^OTEL_EXPORTER_OTLP_(TRACES_|METRICS_)?COMPRESSION$/

/**
 * Names the node for logs, metrics and spans, and says which signals are exported over OTLP; undefined: the signal is not. The OpenTelemetry
 * SDK reads endpoints, headers, timeouts, compression, certificates and batches from the environment itself. Throws a ConfigError for a
 * value that the SDK would ignore with a warning.
 */
export function readTelemetryConfig(env: Environment) {
  const nodeName = env.GATEHOUSE_NODE_NAME || hostname()
  if (env.GATEHOUSE_NODE_NAME && !NODE_NAME.test(nodeName))
    throw new ConfigError('GATEHOUSE_NODE_NAME must have 1 to 100 letters, digits, dots, colons, underscores and hyphens')
  if (choice(env, 'OTEL_SDK_DISABLED', 'false', ['true', 'false']) === 'true')
    return { nodeName, spans: undefined, metrics: undefined }
  checkValues(env)
  choice(env, 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', 'cumulative', ['cumulative'])
  const hasSpans = exportsOverOtlp('TRACES', env, ['otlp', 'none'])
  const hasMetrics = exportsOverOtlp('METRICS', env, ['otlp', 'none', 'prometheus'])
  const intervalMs = Number(env.OTEL_METRIC_EXPORT_INTERVAL || 60_000)
  const timeoutMs = Math.min(Number(env.OTEL_METRIC_EXPORT_TIMEOUT || 30_000), intervalMs)
  return {
    nodeName,
    spans: hasSpans ? { protocol: protocolOf('TRACES', env), sampler: readSampler(env) } : undefined,
    metrics: hasMetrics ? { protocol: protocolOf('METRICS', env), intervalMs, timeoutMs } : undefined,
  }
}

type Signal = 'TRACES' | 'METRICS'

/** Whether the signal has an endpoint and its exporter is not switched off. */
function exportsOverOtlp(signal: Signal, env: Environment, allowed: readonly string[]): boolean {
  const name = `OTEL_${signal}_EXPORTER`
  const exporters = (env[name] || 'otlp').split(',').map((exporter) => exporter.trim())
  for (const exporter of exporters) {
    if (!allowed.includes(exporter)) throw new ConfigError(`${name} must be one of ${allowed.join(', ')}`)
  }
  const endpoint = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || env.OTEL_EXPORTER_OTLP_ENDPOINT
  return exporters.includes('otlp') && Boolean(endpoint)
}

function protocolOf(signal: Signal, env: Environment) {
  const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`
  const name = env[own] ? own : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  return choice(env, name, 'http/protobuf', PROTOCOLS)
}

/**
 * Which traces are recorded; this is decided before the SDK makes a span, for the flags that providers get. `followsParent`: whether the
 * flag of the caller's trace decides if there is one. `ratio`: share of the other traces that is recorded.
 */
function readSampler(env: Environment) {
  const name = choice(env, 'OTEL_TRACES_SAMPLER', 'parentbased_always_on', SAMPLERS)
  const followsParent = name.startsWith('parentbased_')
  if (!name.endsWith('traceidratio')) return { followsParent, ratio: name.endsWith('always_on') ? 1 : 0 }
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG || 1)
  if (!(ratio >= 0 && ratio <= 1)) throw new ConfigError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
  return { followsParent, ratio }
}

function checkValues(env: Environment): void {
  for (const [name, value] of Object.entries(env)) {
    if (!value) continue
    if (NUMBERS.test(name) && !(Number.isInteger(Number(value)) && Number(value) > 0))
      throw new ConfigError(`${name} must be a whole number greater than 0`)
    if (ENDPOINTS.test(name) && !/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
      throw new ConfigError(`${name} must be an http or https URL`)
    if (COMPRESSIONS.test(name)) choice(env, name, 'none', ['none', 'gzip'])
  }
  checkResourceAttributes(env.OTEL_RESOURCE_ATTRIBUTES ?? '')
}

/** The SDK would discard all attributes if one is malformed. */
function checkResourceAttributes(text: string): void {
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    if (!/^\s*[^=\s][^=]*=[^=]*$/.test(pair) || !isPercentEncoded(pair))
      throw new ConfigError(
        'OTEL_RESOURCE_ATTRIBUTES must have the form key=value,key=value, with special characters percent-encoded',
      )
  }
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The SDK ignores case and spaces. */
const choice = <T extends string>(env: Environment, name: string, fallback: T, allowed: readonly T[]): T =>
  oneOf({ [name]: env[name]?.trim().toLowerCase() }, name, fallback, allowed)
