import { expect, test } from 'vitest'
import { readinessOfNode } from './node-readiness.ts'

const READY = { ready: true, checks: [{ name: 'database', status: 'ok' }] } as const
const BROKEN = { ready: false, checks: [{ name: 'database', status: 'fail', message: 'gone' }] } as const

test('node readiness: a check has the worst result of all processes', () => {
  const reports = [READY, BROKEN].map((readiness, index) => ({ number: index + 1, readiness }))
  const { ready, checks } = readinessOfNode(reports, 2, false)
  expect([ready, checks]).toEqual([false, [BROKEN.checks[0], { name: 'processes', status: 'ok' }]])
})

test('node readiness: names a silent process and stays ready while another answers', () => {
  const reports = [
    { number: 1, readiness: READY },
    { number: 2, readiness: undefined },
  ]
  const { ready, checks } = readinessOfNode(reports, 3, false)
  const message = 'Process 2 does not answer. 2 of 3 processes run.'
  expect([ready, checks.at(-1)]).toEqual([true, { name: 'processes', status: 'degraded', message }])
})

test('node readiness: not ready when no process answers, and while the node stops', () => {
  const silent = readinessOfNode([{ number: undefined, readiness: undefined }], 1, false)
  expect([silent.ready, silent.checks.at(-1)?.message]).toEqual([false, 'The process does not answer.'])
  const stopping = readinessOfNode([{ number: 1, readiness: READY }], 1, true)
  expect([stopping.ready, stopping.checks[0]?.name]).toEqual([false, 'accepting'])
})
