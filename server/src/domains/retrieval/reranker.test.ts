import { afterEach, expect, test } from 'vitest'
import { type Behaviour, failWith, respond, startFaultyProvider } from '../../../test/support/faulty-provider.ts'
import { guardedConnector } from '../../platform/lib/url-guard.ts'
import type { ServiceCall } from '../../shared/service-call.ts'
import { Reranker } from './reranker.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function start(...behaviours: Behaviour[]) {
  const server = await startFaultyProvider(...behaviours)
  const problems: string[] = []
  const reranker = new Reranker(
    { url: server.baseUrl, apiKey: 'key', model: 'rerank-1' },
    { connect: guardedConnector(true, 1_000), now: Date.now, onProblem: (text) => problems.push(text), timeoutMs: 1_000 },
  )
  ends.push(async () => {
    await reranker.close()
    await server.close()
  })
  return { server, reranker, problems }
}
const scores = (...all: (readonly [index: unknown, score: unknown])[]): Behaviour =>
  respond({ results: all.map(([index, relevance_score]) => ({ index, relevance_score })) })

test('order: sends model, query, texts and key, and returns the indices by score', async () => {
  const { server, reranker } = await start(scores([2, 0.9], [0, 0.1], [1, 0.5]))
  expect(await reranker.order('q', ['a', 'b', 'c'])).toEqual([2, 1, 0])
  expect(server.calls[0]).toMatchObject({ method: 'POST', path: '/v1/rerank', headers: { authorization: 'Bearer key' } })
  expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({ model: 'rerank-1', query: 'q', documents: ['a', 'b', 'c'], top_n: 3 })
})

test('order: texts that the response leaves out come last, and equal scores keep their order', async () => {
  const { reranker } = await start(scores([3, 0.5], [1, 0.5]))
  expect(await reranker.order('q', ['a', 'b', 'c', 'd'])).toEqual([1, 3, 0, 2])
})

test.each<[string, Behaviour]>([
  ['an error', failWith(500)],
  ['no JSON', respond('nothing')],
  ['no results', respond({ data: [] })],
  ['an unknown index', scores([9, 1])],
  ['an index twice', scores([0, 1], [0, 1])],
  ['a score that is no number', scores([0, 'high'])],
])('order: is undefined when the response is %s, reported once', async (_, behaviour) => {
  const { server, reranker, problems } = await start(behaviour)
  const calls: ServiceCall[] = []
  const report = (call: ServiceCall) => void calls.push(call)
  expect(await reranker.order('q', ['a', 'b'], report)).toBeUndefined()
  expect(await reranker.order('q', ['a', 'b'], report)).toBeUndefined()
  expect(problems).toHaveLength(1)
  expect(calls.map(({ outcome, texts }) => [outcome, texts])).toEqual([
    [expect.stringMatching(/^(status|malformed)$/), 2],
    ['paused', 0],
  ])
  // It is not called again at once.
  expect(server.calls).toHaveLength(1)
})
