import { expect, test } from 'vitest'
import { currentTrace, currentTraceparent, runInStoredTrace, runInTrace, runOutsideTrace, traceContext } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
/** Records each trace, except those that the client does not record. */
const always = (_: string, parentIsSampled = true) => parentIsSampled
const VALID = `00-${TRACE}-${PARENT}-01`

test("traceparent: client's span is the parent of upstream requests when this server records no spans", () => {
  const context = traceContext({ traceparent: VALID })
  expect(context).toEqual({ traceId: TRACE, parentId: PARENT, spanId: PARENT, flags: '01' })
})

test('traceparent: a new span is the parent of upstream requests when this server records spans', () => {
  const context = traceContext({ traceparent: `00-${TRACE}-${PARENT}-00` }, always)
  expect(context).toMatchObject({ traceId: TRACE, parentId: PARENT, flags: '00' })
  expect(context?.spanId).toMatch(/^[\da-f]{16}$/)
  expect(context?.spanId).not.toBe(PARENT)
})

test.each([
  undefined,
  '',
  'nonsense',
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-01-more`,
  `ff-${TRACE}-${PARENT}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `${VALID}, ${VALID}`,
  [VALID, VALID],
])('traceparent: invalid header counts as missing: %j', (traceparent) => {
  expect(traceContext({ traceparent })).toBeUndefined()
  expect(traceContext({ traceparent }, always)).toMatchObject({ parentId: undefined })
})

test('traceparent: ids and the sampled flag are read when the version is newer', () => {
  const context = traceContext({ traceparent: `01-${TRACE}-${PARENT}-03-more` })
  expect(context).toMatchObject({ traceId: TRACE, parentId: PARENT, flags: '01' })
})

test('currentTraceparent: has the context within the request, and is null outside of it', async () => {
  const context = traceContext({ traceparent: VALID, tracestate: 'a=1', baggage: 'user=ann' })
  if (!context) throw new Error('no context')
  const within = await runInTrace(context, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return currentTraceparent()
  })
  expect(within).toBe(VALID)
  expect(currentTraceparent()).toBeNull()
  expect(currentTrace()).toBeUndefined()
})

test('runInStoredTrace: work runs in the stored trace, or in no trace when none was stored', () => {
  const context = traceContext({ traceparent: `00-${'a'.repeat(32)}-${PARENT}-01` })
  if (!context) throw new Error('no context')
  runInTrace(context, () => {
    expect(runInStoredTrace(VALID, undefined, currentTraceparent)).toBe(VALID)
    expect(runInStoredTrace(null, undefined, currentTraceparent)).toBeNull()
    expect(runInStoredTrace(VALID, always, currentTrace)).toMatchObject({ traceId: TRACE, parentId: PARENT })
    expect(runOutsideTrace(currentTraceparent)).toBeNull()
  })
})
