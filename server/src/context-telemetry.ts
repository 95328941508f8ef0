import type { Logger } from 'pino'
import type { Config } from './platform/config/config.ts'
import type { Clock } from './platform/lib/clock.ts'
import type { PlaceInNode } from './platform/processes/node-link.ts'
import { NO_TRACING } from './platform/telemetry/finished-request.ts'
import { Metrics } from './platform/telemetry/metrics.ts'
import { faultReporter, requestObserver } from './platform/telemetry/reporters.ts'
import type { ProviderCall } from './shared/provider-call.ts'
import { VERSION } from './version.ts'

/** OpenTelemetry is loaded only if a collector is configured, because most servers have none. */
export async function loadOpenTelemetry({ telemetry: { spans, metrics } }: Config) {
  const [tracing, exporting] = await Promise.all([
    spans && import('./platform/telemetry/otlp.ts'),
    metrics && import('./platform/telemetry/otlp-metrics.ts'),
  ])
  return { openTracing: tracing?.openTracing, exportMetrics: exporting?.exportMetrics }
}

interface Given {
  readonly config: Config
  readonly log: Logger
  readonly clock: Clock
  readonly node: PlaceInNode
  readonly openTelemetry: Awaited<ReturnType<typeof loadOpenTelemetry>>
}

export function createTelemetry({ config, log, clock, node, openTelemetry: { openTracing, exportMetrics } }: Given) {
  const { nodeName, spans, metrics: exported } = config.telemetry
  const metrics = new Metrics()
  if (node.number !== undefined) metrics.registry.setDefaultLabels({ process: String(node.number) })
  const onExport = exportReporter(metrics, log)
  const common = { nodeName, version: VERSION, onExport }
  const tracing = (spans && openTracing?.({ ...common, ...spans })) ?? NO_TRACING
  // One process sends those of all, as /metrics shows them.
  const read = node.metrics ?? (() => metrics.registry.getMetricsAsJSON())
  const endExport = exported && node.leads ? exportMetrics?.(read, clock, { ...common, ...exported }) : undefined
  return {
    metrics,
    tracing,
    reportFault: faultReporter({ metrics, log }),
    reportDetectorTime: (name: string, ms: number) => metrics.detectorTime(name, ms),
    observe: requestObserver({ metrics, tracing, log }),
    observeCall: (call: ProviderCall) => {
      metrics.call(call)
      tracing.recordCall(call)
    },
    onJobRun: (job: string, succeeded: boolean) => metrics.jobRun(job, succeeded, clock.now()),
    /** Sends the remaining spans and metrics. A collector that does not respond is not reported. */
    closeTelemetry: async () => void (await Promise.allSettled([tracing.close(), endExport?.()])),
  }
}

/** Counts the exports, and logs the first failure after a success. */
function exportReporter(metrics: Metrics, log: Logger) {
  const failing = new Set<string>()
  return (signal: string, succeeded: boolean): void => {
    metrics.export(signal, succeeded)
    if (succeeded) failing.delete(signal)
    else if (!failing.has(signal)) {
      failing.add(signal)
      log.warn({ signal }, 'the OpenTelemetry collector did not accept an export; the next failures are only counted')
    }
  }
}
