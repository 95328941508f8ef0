import { expect, test } from 'vitest'
import { collect } from '../shared/message.ts'
import { type Application, DEFAULT_SETTINGS } from '../shared/principal.ts'
import { EMPTY_REQUEST } from './request.ts'
import { ResponseWatch } from './response-watch.ts'
import { NOTHING_DECIDED, type RequestContext, UNIDENTIFIED } from './stage-results.ts'

test('watch: text leaves until the server stops, and no more, although the provider still sends', () => {
  const early = {
    sent: '',
    send: (piece: string) => {
      early.sent += piece
      return true
    },
    whenReady: () => {},
  }
  const context: RequestContext = {
    incoming: { endpoint: 'chat', clientSignal: () => stop.signal, early },
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
  const stop = new AbortController()
  const deps = {
    detectors: [],
    detectorBudgetMs: 1_000,
    reportFault: () => {},
    clock: { now: () => new Date(0) },
    aborting: stop.signal,
  }
  const head = () => ({ id: '', created: 0, model: '' })
  const watch = new ResponseWatch({ context, authorized: NOTHING_DECIDED, head, flow: { early, window: 0 } }, deps)
  watch.grown('Good morning')
  expect(early.sent).toBe('Good morning')
  stop.abort()
  watch.grown('Good morning to all of you.')
  expect(early.sent).toBe('Good morning')
})
