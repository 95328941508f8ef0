import type { IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { vi } from 'vitest'
import { startLoopback } from './loopback.ts'

interface Attribute {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: number
    readonly doubleValue?: number
    readonly arrayValue?: { readonly values: readonly { readonly stringValue?: string }[] }
  }
}
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
}
interface Point {
  readonly attributes: readonly Attribute[]
  readonly asDouble?: number
  readonly count?: number
  readonly sum?: number
  readonly explicitBounds?: readonly number[]
  readonly bucketCounts?: readonly number[]
}
interface Metric {
  readonly name: string
  readonly unit: string
  readonly sum?: { readonly dataPoints: readonly Point[] }
  readonly gauge?: { readonly dataPoints: readonly Point[] }
  readonly histogram?: { readonly dataPoints: readonly Point[] }
}
interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export const attributesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, arrayValue } }) => [
      key,
      stringValue ?? intValue ?? doubleValue ?? arrayValue?.values.map((value) => value.stringValue),
    ]),
  )

/** An OpenTelemetry collector on loopback. */
export async function startOtelCollector() {
  const received: Received[] = []
  const { url, close } = await startLoopback((request, response, sent) => {
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    received.push({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const json = (path: string) =>
    received.filter((request) => request.path === path).map(({ body }) => JSON.parse(body.toString()))
  const resources = () => json('/v1/traces').flatMap(({ resourceSpans }) => resourceSpans)
  return {
    url,
    received,
    /** Sets the variables for the SDK, which reads them from the process, and returns them for `startServer`. */
    environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
      const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...more }
      for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
      return variables
    },
    spans: (): Span[] =>
      resources()
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
    /** The metrics of the last export. */
    metrics: (): Metric[] =>
      json('/v1/metrics')
        .slice(-1)
        .flatMap(({ resourceMetrics }) => resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics),
    resource: () => attributesOf(resources()[0]?.resource.attributes ?? []),
    async close(): Promise<void> {
      vi.unstubAllEnvs()
      await close()
    },
  }
}
