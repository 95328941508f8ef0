import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { startOtelCollector } from '../support/otel-collector.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
/** Kind of a span in OTLP. */
const CLIENT = 3
const PARENT = '00f067aa0ba902b7'
const headers = {
  traceparent: `00-${TRACE}-${PARENT}-01`,
  tracestate: 'vendor=abc',
  baggage: 'user=marmalade',
}

describe('traces without a collector', async () => {
  const governed = await closeAfterAll(startGoverned())

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

describe('traces with a collector', async () => {
  const collector = await closeAfterAll(startOtelCollector())
  const governed = await startGoverned(
    collector.environment({
      OTEL_SERVICE_NAME: 'gatehouse-eu',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=production,team=A%20B,service.name=other',
      GATEHOUSE_NODE_NAME: 'node-7',
    }),
  )

  const sentTrace = () => String(governed.provider.calls.at(-1)?.headers.traceparent).split('-')

  test("traceparent: the span of a provider call is the provider's parent and a child of the request's span, which is the client's child", async () => {
    expectSuccess(await governed.chat('Good morning', {}, { headers }))
    const [, traceId, sentSpan, sentFlags] = sentTrace()
    expectSuccess(await governed.chat('Good evening'))
    const [, ownTrace, ownSpan] = sentTrace()
    expectSuccess(await governed.chat('Good night', {}, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } }))
    const [, , unsampledSpan, unsampledFlags] = sentTrace()
    await governed.close()

    const spans = collector.spans()
    const calls = spans.filter(({ kind }) => kind === CLIENT)
    const requests = spans.filter(({ name }) => name === 'chat')
    expect([traceId, sentFlags, unsampledFlags]).toEqual([TRACE, '01', '00'])
    const [sent, own] = [sentSpan, ownSpan].map((id) => calls.find(({ spanId }) => spanId === id))
    expect(requests).toContainEqual(expect.objectContaining({ traceId: TRACE, spanId: sent?.parentSpanId, parentSpanId: PARENT }))
    expect(requests).toContainEqual(expect.objectContaining({ traceId: ownTrace, spanId: own?.parentSpanId }))
    expect(ownTrace).not.toBe(TRACE)
    expect(spans.map(({ spanId }) => spanId)).not.toContain(unsampledSpan)
    const children = spans.filter(({ parentSpanId }) => parentSpanId === sent?.parentSpanId)
    expect(children.length).toBeGreaterThan(6)
    expect(new Set([...children, ...requests].map(({ spanId }) => spanId)).size).toBe(children.length + requests.length)
    expect(collector.resource()).toMatchObject({
      'service.name': 'gatehouse-eu',
      'service.instance.id': 'node-7',
      'deployment.environment': 'production',
      team: 'A B',
    })
  })
})
