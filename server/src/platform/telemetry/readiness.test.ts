import { expect, test } from 'vitest'
import { NotReady, Readiness } from './readiness.ts'

const passes = { name: 'passes', run: () => {} }

test('readiness: lists every check and is ready when all of them pass', async () => {
  const refused = {
    name: 'refused',
    run: () => {
      throw new NotReady('Not yet.')
    },
  }
  expect(await new Readiness([passes]).report()).toEqual({ ready: true, checks: [{ name: 'passes', status: 'ok' }] })
  const { ready, checks } = await new Readiness([passes, refused]).report()
  expect(ready).toBe(false)
  expect(checks).toMatchObject([
    { name: 'passes', status: 'ok' },
    { name: 'refused', status: 'fail', message: 'Not yet.' },
  ])
})
test('readiness: does not show the message of an unexpected error', async () => {
  const broken = { name: 'broken', run: () => Promise.reject(new Error('postgres://operator:hunter2@db')) }
  const { checks } = await new Readiness([broken]).report()
  expect(checks[0]?.message).not.toContain('hunter2')
  expect(checks[0]?.cause).toBeInstanceOf(Error)
})
test('readiness: a check fails when it does not respond within the deadline', async () => {
  const silent = { name: 'silent', run: () => new Promise<void>(() => {}) }
  const { ready, checks } = await new Readiness([passes, silent], 50).report()
  expect(ready).toBe(false)
  expect(checks.map(({ name, status }) => [name, status])).toEqual([
    ['passes', 'ok'],
    ['silent', 'fail'],
  ])
  expect(checks[1]?.message).toContain('50 ms')
})
test('readiness: concurrent callers share one run of the checks', async () => {
  let runs = 0
  const readiness = new Readiness([{ name: 'counted', run: async () => void runs++ }])
  await Promise.all([readiness.report(), readiness.report(), readiness.report()])
  expect(runs).toBe(1)
  await readiness.report()
  expect(runs).toBe(2)
})
