import { expect, test } from 'vitest'
import { compiledPolicy, singleRuleDocument } from '../../test/support/policies.ts'
import type { Detector } from '../domains/classification/detector.ts'
import { collect } from '../shared/message.ts'
import { type Application, DEFAULT_SETTINGS } from '../shared/principal.ts'
import { EMPTY_REQUEST } from './request.ts'
import { ResponseWatch } from './response-watch.ts'
import { NOTHING_DECIDED, type RequestContext, UNIDENTIFIED } from './stage-results.ts'

const stop = new AbortController()

function contextOf(early: RequestContext['incoming']['early']): RequestContext {
  return {
    incoming: { endpoint: 'chat', clientSignal: () => stop.signal, ...(early && { early }) },
    caller: { application: { settings: { ...DEFAULT_SETTINGS, release: 'windowed' } } as Application, keyId: '' },
    admitted: {
      request: EMPTY_REQUEST,
      collected: collect([]),
      auditId: '',
      tokens: 0,
      bytes: 0,
      lease: { headers: {}, release: () => {} } as never,
    },
    identity: UNIDENTIFIED,
  }
}

const depsWith = (detectors: readonly Detector[]) => ({
  detectors,
  detectorBudgetMs: 1_000,
  reportFault: () => {},
  clock: { now: () => new Date(0) },
  aborting: stop.signal,
})
const head = () => ({ id: '', created: 0, model: '' })

test('watch: a response that does not flow is scanned only when a finding in it could deny early', () => {
  const lengths: number[] = []
  const card: Detector = {
    name: 'card',
    type: 'pii.card',
    reach: 80,
    longest: 80,
    find: (text) => void lengths.push(text.length),
  }
  const person: Detector = { name: 'person', type: 'pii.person', reach: 80, find: () => {} }
  const policy = compiledPolicy(singleRuleDocument('content.findings["pii.card"] > 0', { verdict: 'deny' }, 'output'))
  const context = contextOf(undefined)
  const watch = new ResponseWatch(
    { context, authorized: { ...NOTHING_DECIDED, policy }, head, flow: undefined },
    depsWith([card, person]),
  )
  watch.grown('a '.repeat(250))
  expect(lengths).toEqual([])
  watch.grown('a '.repeat(300))
  expect(lengths.length).toBeGreaterThan(0)
})

test('watch: text leaves until the server stops, and no more, although the provider still sends', () => {
  const early = {
    sent: '',
    send: (piece: string) => {
      early.sent += piece
      return true
    },
    whenReady: () => {},
  }
  const context = contextOf(early)
  const watch = new ResponseWatch({ context, authorized: NOTHING_DECIDED, head, flow: { early, window: 0 } }, depsWith([]))
  watch.grown('Good morning')
  expect(early.sent).toBe('Good morning')
  stop.abort()
  watch.grown('Good morning to all of you.')
  expect(early.sent).toBe('Good morning')
})
