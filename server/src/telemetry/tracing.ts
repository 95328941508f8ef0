import type { Tracing } from './request-span.ts'

export const NO_TRACING: Tracing = { recordSpan: () => {}, close: async () => {} }

/** Sends spans to an OTLP/HTTP collector. OpenTelemetry is loaded only here, because most servers have no collector. */
export function otlpTracing(url: string, resource: Readonly<Record<string, string>>): Tracing {
  if (!URL.canParse(url)) throw new Error(`Configuration: Could not parse user-provided export URL: '${url}'`)
  const loaded = import('./otlp.ts').then(({ openTelemetryTracing }) => openTelemetryTracing(url, resource))
  return {
    recordSpan: (span) => void loaded.then((tracing) => tracing.recordSpan(span)),
    close: async () => (await loaded).close(),
  }
}
