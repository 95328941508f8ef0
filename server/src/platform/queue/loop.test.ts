import { expect, test } from 'vitest'
import { Loop } from './loop.ts'

const fail = (error: Error): void => {
  throw error
}

/** A loop of which the test decides when a pass ends. */
function controlled(onError = fail) {
  const passes: PromiseWithResolvers<void>[] = []
  const loop = new Loop(
    () => {
      const pass = Promise.withResolvers<void>()
      passes.push(pass)
      return pass.promise
    },
    { onError },
  )
  return { loop, passes }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('loop: makes one more pass when it is woken several times during a pass', async () => {
  const { loop, passes } = controlled()
  loop.wake()
  loop.wake()
  loop.wake()
  expect(passes).toHaveLength(1)
  passes[0]?.resolve()
  await settled()
  expect(passes).toHaveLength(2)
  passes[1]?.resolve()
  await settled()
  expect(passes).toHaveLength(2)
})

test('loop: `run` resolves after a pass that began after the call', async () => {
  const { loop, passes } = controlled()
  loop.wake()
  let done = false
  void loop.run().then(() => {
    done = true
  })
  passes[0]?.resolve()
  await settled()
  expect([passes.length, done]).toEqual([2, false])
  passes[1]?.resolve()
  await settled()
  expect(done).toBe(true)
})

test('loop: reports an error once and runs again when woken', async () => {
  const errors: string[] = []
  const { loop, passes } = controlled((error) => void errors.push(error.message))
  loop.wake()
  loop.wake()
  passes[0]?.reject(new Error('no database'))
  await settled()
  expect(errors).toEqual(['no database'])
  loop.wake()
  expect(passes).toHaveLength(2)
})

test('loop: `close` waits for the current pass and allows no other', async () => {
  const { loop, passes } = controlled()
  loop.wake()
  loop.wake()
  const closed = loop.close()
  passes[0]?.resolve()
  await closed
  loop.wake()
  await loop.run()
  expect(passes).toHaveLength(1)
})
