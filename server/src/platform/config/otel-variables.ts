/** The signals that have variables of their own. */
const SIGNALS = ['', 'TRACES_', 'METRICS_', 'LOGS_']
const EXPORTER = [
  'ENDPOINT',
  'HEADERS',
  'PROTOCOL',
  'TIMEOUT',
  'COMPRESSION',
  'CERTIFICATE',
  'CLIENT_KEY',
  'CLIENT_CERTIFICATE',
  'INSECURE',
]
const BATCH = ['SCHEDULE_DELAY', 'EXPORT_TIMEOUT', 'MAX_QUEUE_SIZE', 'MAX_EXPORT_BATCH_SIZE']
const LIMITS = ['ATTRIBUTE_VALUE_LENGTH_LIMIT', 'ATTRIBUTE_COUNT_LIMIT']

/**
 * The variables of the OpenTelemetry specification, including those that this server does not need.
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and …/protocol/exporter/
 */
export const OTEL_VARIABLES: readonly string[] = [
  'SDK_DISABLED',
  'SERVICE_NAME',
  'RESOURCE_ATTRIBUTES',
  'ENTITIES',
  'LOG_LEVEL',
  'PROPAGATORS',
  'TRACES_EXPORTER',
  'METRICS_EXPORTER',
  'LOGS_EXPORTER',
  'TRACES_SAMPLER',
  'TRACES_SAMPLER_ARG',
  'METRICS_EXEMPLAR_FILTER',
  'METRIC_EXPORT_INTERVAL',
  'METRIC_EXPORT_TIMEOUT',
  'EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE',
  'EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION',
  'EXPORTER_PROMETHEUS_HOST',
  'EXPORTER_PROMETHEUS_PORT',
  'CONFIG_FILE',
  'EXPERIMENTAL_CONFIG_FILE',
  'SEMCONV_STABILITY_OPT_IN',
  ...['BSP_', 'BLRP_'].flatMap((prefix) => BATCH.map((name) => prefix + name)),
  ...['', 'SPAN_', 'LOGRECORD_'].flatMap((prefix) => LIMITS.map((name) => prefix + name)),
  ...['SPAN_EVENT_COUNT_LIMIT', 'SPAN_LINK_COUNT_LIMIT', 'EVENT_ATTRIBUTE_COUNT_LIMIT', 'LINK_ATTRIBUTE_COUNT_LIMIT'],
  ...SIGNALS.flatMap((signal) => EXPORTER.map((name) => `EXPORTER_OTLP_${signal}${name}`)),
].map((name) => `OTEL_${name}`)
