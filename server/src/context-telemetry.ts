import type { Logger } from 'pino'
import type { BudgetMeter } from './domains/budgets/budget-meter.ts'
import type { QueueMeter } from './domains/jobs/queue-meter.ts'
import type { Config } from './platform/config/config.ts'
import type { Database } from './platform/db/database.ts'
import type { CacheStatistics } from './platform/lib/cache-statistics.ts'
import type { Clock } from './platform/lib/clock.ts'
import type { PlaceInNode } from './platform/processes/node-link.ts'
import { faultReporter } from './platform/telemetry/fault-reporter.ts'
import { Metrics } from './platform/telemetry/metrics.ts'
import type { Readings } from './platform/telemetry/readings.ts'
import { requestObserver } from './platform/telemetry/request-observer.ts'
import { NO_TRACING } from './platform/telemetry/request-span.ts'
import { registerRuntimeMetrics } from './platform/telemetry/runtime-metrics.ts'
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

/** Metrics, spans and the functions that report to them. */
export function createTelemetry(
  { config, log, clock, node, openTelemetry: { openTracing, exportMetrics } }: Given,
  readings: Readings,
) {
  const { nodeName, spans, metrics: exported } = config.telemetry
  const metrics = new Metrics(readings)
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

interface Counted {
  readonly statistics: CacheStatistics
}

interface Parts {
  readonly config: Config
  readonly database: Pick<Database, 'pool' | 'signal'>
  readonly metrics: Metrics
  readonly hub: { readonly size: number }
  readonly relay: { readonly published: number }
  readonly webhooks: { readonly attempts: { readonly delivered: number; readonly failed: number }; readonly size: number }
  readonly assistants: { readonly size: number }
  readonly queueMeter: QueueMeter
  readonly budgetMeter: BudgetMeter
  readonly readiness: { readonly isReady: boolean }
  readonly workspaceKeys: Counted
  readonly allowedOrigins: Counted
  readonly policies: Counted
  readonly providers: Counted
  readonly authenticator: Counted
  readonly members: Counted
  readonly adminAuthenticator: Counted
  readonly userTokens: Counted
}

/** Registers the metrics of the parts that count themselves. */
export function measureParts(parts: Parts): void {
  const { database, hub, relay, webhooks, assistants, queueMeter, budgetMeter, readiness } = parts
  const caches: Readonly<Record<string, Counted>> = {
    access_tokens: parts.members,
    admin_tokens: parts.adminAuthenticator,
    api_keys: parts.authenticator,
    origins: parts.allowedOrigins,
    policies: parts.policies,
    providers: parts.providers,
    user_token_verifiers: parts.userTokens,
    workspace_keys: parts.workspaceKeys,
  }
  registerRuntimeMetrics(parts.metrics.registry, {
    node: { name: parts.config.telemetry.nodeName, version: VERSION },
    pool: () => database.pool,
    listenReconnects: () => database.signal.reconnects,
    eventStreams: () => hub.size,
    publishedEvents: () => relay.published,
    webhookAttempts: () => webhooks.attempts,
    queues: () => queueMeter.readings,
    budgets: () => budgetMeter.readings,
    isReady: () => readiness.isReady,
    leases: () => ({ assistant_turns: assistants.size, webhook_deliveries: webhooks.size }),
    caches: () => Object.fromEntries(Object.entries(caches).map(([name, { statistics }]) => [name, statistics])),
  })
}
