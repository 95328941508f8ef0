import type { Tracing } from './request-span.ts'

export const NO_TRACING: Tracing = { recordSpan: () => {}, close: async () => {} }

/** Spans to an OTLP/HTTP collector. Most servers have none, so OpenTelemetry is loaded here; spans that are early wait for it. */
export function otlpTracing(url: string, resource: Readonly<Record<string, string>>): Tracing {
  if (!URL.canParse(url)) throw new Error(`Configuration: Could not parse user-provided export URL: '${url}'`)
  const loaded = import('./otlp.ts').then(({ openTelemetryTracing }) => openTelemetryTracing(url, resource))
  return {
    recordSpan: (span) => void loaded.then((tracing) => tracing.recordSpan(span)),
    close: async () => (await loaded).close(),
  }
}
