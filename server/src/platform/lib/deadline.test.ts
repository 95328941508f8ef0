import { stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { elapsed } from './clock.ts'
import { withDeadline } from './deadline.ts'

test('withDeadline: a result that arrived while the process was busy is not late', async () => {
  const result = withDeadline(20, stat('/'), 'the disk did not respond')
  const busyUntil = elapsed() + 200
  while (elapsed() < busyUntil);
  await expect(result).resolves.toHaveProperty('mode')
})

test('withDeadline: rejects when there is no result in time', async () => {
  await expect(withDeadline(5, new Promise(() => {}), 'the store did not respond')).rejects.toThrow(
    'the store did not respond within 5 ms',
  )
})
