import { afterAll, afterEach, expect, test } from 'vitest'
import {
  type Behaviour,
  FAULTS,
  type FaultyProvider,
  respond,
  startFaultyProvider,
} from '../../../test/support/faulty-provider.ts'
import { testPools, testProvider } from '../../../test/support/providers.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { discoverModels } from './test-connection.ts'

const pools = testPools()
const upstreams: FaultyProvider[] = []
afterEach(() => Promise.all(upstreams.splice(0).map((upstream) => upstream.close())))
afterAll(() => pools.close())

async function discoverFrom(behaviour: Behaviour, timeoutMs = 20_000) {
  const upstream = await startFaultyProvider(behaviour)
  upstreams.push(upstream)
  const discovery = await discoverModels(testProvider({ baseUrl: upstream.baseUrl, timeoutMs }), pools, {
    clock: systemClock,
  })
  return { discovery, request: upstream.calls[0] }
}

test('discovery: requests the models with the key and returns chat models, sorted, each once', async () => {
  const ids = ['gpt-4o', 'llama3.1:8b', 'a/b', 'text-embedding-3-small', 'whisper-1', 'tts-1', 'omni-moderation-latest', 'gpt-4o']
  const data = [...ids.map((id) => ({ id, object: 'model' })), { id: 7 }, null, { id: 'with space' }, { id: '*' }]
  const { discovery, request } = await discoverFrom(respond({ object: 'list', data }))
  expect(discovery).toEqual({ ok: true, models: ['a/b', 'gpt-4o', 'llama3.1:8b'] })
  expect(request).toMatchObject({ method: 'GET', path: '/v1/models', headers: { authorization: 'Bearer sk-test' } })
})

test.each([
  ['hangs before headers', 'timeout'],
  ['drips a byte at a time', 'timeout'],
  ['sends 100 MB', 'too_large'],
  ['sends HTML', 'malformed'],
  ['sends null', 'malformed'],
  ['answers 401', 'status'],
  ['redirects to metadata', 'status'],
] as const)('discovery: a provider that %s is a failure of kind %s', async (fault, failure) => {
  const { discovery } = await discoverFrom(FAULTS[fault], failure === 'timeout' ? 200 : undefined)
  expect(discovery).toMatchObject({ ok: false, failure })
})
