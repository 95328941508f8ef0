import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { withEitherSignal } from './either-signal.ts'

test.each([0, 1])('withEitherSignal: aborts with the reason of signal %i when that signal is aborted', async (index) => {
  const controllers = [new AbortController(), new AbortController()] as const
  const reason = new Error('stop')
  const [a, b] = controllers
  const seen = await withEitherSignal(a.signal, b.signal, async (either) => {
    expect(either.aborted).toBe(false)
    controllers[index]?.abort(reason)
    return [either.aborted, either.reason]
  })
  expect(seen).toEqual([true, reason])
  const before = await withEitherSignal(a.signal, b.signal, async (either) => [either.aborted, either.reason])
  expect(before).toEqual([true, reason])
})

test('withEitherSignal: removes its listeners when the work has ended or failed', async () => {
  const [a, b] = [new AbortController().signal, new AbortController().signal]
  const failing = withEitherSignal(a, b, async () => {
    expect([a, b].map((signal) => getEventListeners(signal, 'abort').length)).toEqual([1, 1])
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  expect([a, b].flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([])
})
