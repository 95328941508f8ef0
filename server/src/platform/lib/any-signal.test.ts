import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { withAnySignal } from './any-signal.ts'

test.each([0, 1, 2])('withAnySignal: aborts with the reason of signal %i when that signal is aborted', async (index) => {
  const controllers = [new AbortController(), new AbortController(), new AbortController()]
  const signals = controllers.map(({ signal }) => signal)
  const reason = new Error('stop')
  const seen = await withAnySignal(signals, async (any) => {
    expect(any.aborted).toBe(false)
    controllers[index]?.abort(reason)
    return [any.aborted, any.reason]
  })
  expect(seen).toEqual([true, reason])
  const before = await withAnySignal(signals, async (any) => [any.aborted, any.reason])
  expect(before).toEqual([true, reason])
})

test('withAnySignal: passes a single signal on', async () => {
  const { signal } = new AbortController()
  expect(await withAnySignal([signal], async (any) => any)).toBe(signal)
})

test('withAnySignal: removes its listeners when the work has ended or failed', async () => {
  const signals = [new AbortController().signal, new AbortController().signal]
  const failing = withAnySignal(signals, async () => {
    expect(signals.map((signal) => getEventListeners(signal, 'abort').length)).toEqual([1, 1])
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([])
})
