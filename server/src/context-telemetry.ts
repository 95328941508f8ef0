import type { Logger } from 'pino'
import type { Config } from './platform/config/config.ts'
import type { Clock } from './platform/lib/clock.ts'
import { currentTrace } from './platform/lib/trace-context.ts'
import type { PlaceInNode } from './platform/processes/node-link.ts'
import { type FinishedRequest, NO_TRACING, type Tracing } from './platform/telemetry/finished-request.ts'
import { Metrics } from './platform/telemetry/metrics.ts'
import { Unchangeable } from './shared/content-reading.ts'
import type { ReportFault } from './shared/fault.ts'
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

/** Counts faults and logs those of the program. A condition that fails is the policy author's fault and only counted. */
const faultReporter =
  ({ metrics, log }: { metrics: Metrics; log: Logger }): ReportFault =>
  (fault) => {
    const { kind, name, how, error } = fault
    metrics.fault(fault)
    if (kind === 'condition') return
    // Unchangeable content is not a fault of the program: the request was denied as its policy demands.
    log[error instanceof Unchangeable ? 'warn' : 'error'](
      { kind, name, how, ...(how === 'threw' && { error: classOf(error), at: frameOf(error) }) },
      'content could not be governed, so the request was denied',
    )
  }

const classOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : typeof error)

/** The first stack frame. The message before it is never logged, because it may quote content. */
const frameOf = (error: unknown): string | undefined =>
  error instanceof Error ? /^ {4}at [^\n]{1,300}$/m.exec((error.stack ?? '').replace(error.message, ''))?.[0].trim() : undefined

/** Returns a function that records a finished request in metrics and traces, and logs its failure. */
const requestObserver =
  ({ metrics, tracing, log }: { metrics: Metrics; tracing: Tracing; log: Logger }) =>
  (request: FinishedRequest): void => {
    metrics.observe(request)
    tracing.recordSpan(request, currentTrace())
    if (request.cause === undefined) return
    const { requestId: reqId, auditId: audit_id, endpoint, code } = request
    log.error({ reqId, audit_id, endpoint, code, err: request.cause }, 'request failed')
  }
