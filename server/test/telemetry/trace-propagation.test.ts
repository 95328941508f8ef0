import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const headers = {
  traceparent: `00-${TRACE}-${PARENT}-01`,
  tracestate: 'vendor=abc',
  baggage: 'user=marmalade',
}

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
}
interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string }
}
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[]
  }[]
}

describe('traces without a collector', () => {
  let governed: Awaited<ReturnType<typeof startGoverned>>
  beforeAll(async () => {
    governed = await startGoverned()
  })
  afterAll(() => governed.close())

  test('traceparent: forwarded to the provider unchanged, without tracestate and baggage', async () => {
    expectSuccess(await governed.chat('Good morning', {}, { headers }))
    const sent = governed.provider.calls.at(-1)?.headers
    expect(sent).toMatchObject({ traceparent: headers.traceparent })
    // Clients choose their text, and no detector reads it.
    expect(sent).not.toHaveProperty('tracestate')
    expect(sent).not.toHaveProperty('baggage')
  })

  test('traceparent: not sent to the provider when the client sends none or an invalid one', async () => {
    for (const given of [{}, { traceparent: 'nonsense', tracestate: 'vendor=abc' }]) {
      expectSuccess(await governed.chat('Good morning', {}, { headers: given }))
      const sent = governed.provider.calls.at(-1)?.headers ?? {}
      expect(Object.keys(sent).filter((name) => name.startsWith('trace'))).toEqual([])
    }
  })
})

describe('traces with a collector', () => {
  const received: Export[] = []
  const collector = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    received.push(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  let governed: Awaited<ReturnType<typeof startGoverned>>
  beforeAll(async () => {
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    governed = await startGoverned({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_SERVICE_NAME: 'gatehouse-eu',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=production,team=A%20B,service.name=other',
    })
  })
  afterAll(() => void collector.close())

  test("traceparent: the request's span is a child of the client's span and the parent of the provider's", async () => {
    expectSuccess(await governed.chat('Good morning', {}, { headers }))
    const [, traceId, sentSpan] = String(governed.provider.calls.at(-1)?.headers.traceparent).split('-')
    expectSuccess(await governed.chat('Good evening'))
    const [, ownTrace, ownSpan] = String(governed.provider.calls.at(-1)?.headers.traceparent).split('-')
    await governed.close()

    const spans = received
      .flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
      .flatMap((scope) => scope.spans)
    const chats = spans.filter(({ name }) => name === 'chat')
    expect(traceId).toBe(TRACE)
    expect(chats).toContainEqual(expect.objectContaining({ traceId: TRACE, spanId: sentSpan, parentSpanId: PARENT }))
    expect(chats).toContainEqual(expect.objectContaining({ traceId: ownTrace, spanId: ownSpan }))
    expect(ownTrace).not.toBe(TRACE)
    const stages = spans.filter(({ parentSpanId }) => parentSpanId === sentSpan)
    expect(stages.length).toBeGreaterThan(5)
    expect(new Set([...stages, ...chats].map(({ spanId }) => spanId)).size).toBe(stages.length + chats.length)

    const attributes = received[0]?.resourceSpans[0]?.resource.attributes.map(({ key, value }) => [key, value.stringValue]) ?? []
    expect(Object.fromEntries(attributes)).toMatchObject({
      'service.name': 'gatehouse-eu',
      'deployment.environment': 'production',
      team: 'A B',
    })
  })
})
