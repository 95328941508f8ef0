import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { embedWith } from '../../../../test/support/embed-by-meaning.ts'
import { type Behaviour, FAULTS, failWith, respond, startFaultyProvider } from '../../../../test/support/faulty-provider.ts'
import { guardedConnector } from '../../../platform/lib/url-guard.ts'
import { batchesOf, cutText, Embedder, type ModelChoice } from './embedder.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

const OPTIONS = { timeoutMs: 3_000, retries: 2 }

/** Responds with [length of the text, 1] for each text. */
const well = embedWith((text) => [text.length, 1])
const embeddings = (...all: (readonly [index: number, values: unknown[]])[]): Behaviour =>
  respond({ data: all.map(([index, embedding]) => ({ index, embedding })) })
const embedding = (...values: unknown[]): Behaviour => embeddings([0, values])

async function start(behaviours: Behaviour[] = [well], { dimensions, key = 'sk-1', allowPrivate = true }: Start = {}) {
  const server = await startFaultyProvider(...behaviours)
  const embedder = new Embedder(
    { url: server.baseUrl, apiKey: key, model: { name: 'tiny', dimensions } },
    { connect: guardedConnector(allowPrivate, 1_000), now: Date.now, random: () => 0.5, backoffMs: 2 },
  )
  ends.push(async () => {
    await embedder.close()
    await server.close()
  })
  return { server, embedder }
}
interface Start {
  readonly dimensions?: ModelChoice['dimensions']
  readonly key?: string
  readonly allowPrivate?: boolean
}

describe('Embedder: requests', () => {
  test('sends model, texts and key, and scales each vector to length 1', async () => {
    const { server, embedder } = await start([embedding(3, 4)])
    expect(await embedder.embed(['hello'], OPTIONS)).toEqual({ ok: true, vectors: [Float32Array.of(0.6, 0.8)] })
    expect(server.calls[0]).toMatchObject({ method: 'POST', path: '/v1/embeddings', headers: { authorization: 'Bearer sk-1' } })
    expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({ model: 'tiny', input: ['hello'] })
  })

  test('states dimensions only when configured, and another model when given', async () => {
    const { server, embedder } = await start([well], { dimensions: 2 })
    await embedder.embed(['a'], OPTIONS)
    await embedder.embed(['a'], { ...OPTIONS, model: { name: 'old', dimensions: undefined } })
    expect(server.calls.map(({ body }) => JSON.parse(body))).toEqual([
      { model: 'tiny', input: ['a'], dimensions: 2 },
      { model: 'old', input: ['a'] },
    ])
  })

  test('sends batches two at a time and keeps the order of texts', async () => {
    let inFlight = 0
    let most = 0
    const slow: Behaviour = (socket, call) => {
      most = Math.max(most, ++inFlight)
      setTimeout(() => {
        inFlight--
        well(socket, call)
      }, 20)
    }
    const { server, embedder } = await start([slow])
    const texts = Array.from({ length: 100 }, (_, at) => 'x'.repeat(at + 1))
    const embedded = await embedder.embed(texts, OPTIONS)
    expect(server.calls.map(({ body }) => JSON.parse(body).input.length).toSorted((a, b) => a - b)).toEqual([4, 32, 32, 32])
    expect(most).toBe(2)
    const tangents = embedded.ok ? embedded.vectors.map(([x = 0, y = 1]) => Math.round(x / y)) : []
    expect(tangents).toEqual(texts.map(({ length }) => length))
  })

  test('orders vectors by the indexes of the response', async () => {
    const { embedder } = await start([embeddings([1, [0, 1]], [0, [1, 0]])])
    const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1)]
    expect(await embedder.embed(['a', 'b'], OPTIONS)).toEqual({ ok: true, vectors })
  })

  test('sends no request without texts', async () => {
    const { server, embedder } = await start()
    expect(await embedder.embed([], OPTIONS)).toEqual({ ok: true, vectors: [] })
    expect(server.calls).toEqual([])
  })
})

describe('Embedder: server failures', () => {
  test('retries 429 after its Retry-After', async () => {
    const { server, embedder } = await start([failWith(429, { 'retry-after-ms': '300' }), well])
    const startedAt = performance.now()
    expect(await embedder.embed(['a'], OPTIONS)).toMatchObject({ ok: true })
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(295)
    expect(server.calls).toHaveLength(2)
  })

  test.each<[what: string, behaviour: Behaviour, failed: object, calls: number, timeoutMs?: number]>([
    ['does not wait for a Retry-After beyond the deadline', failWith(429, { 'retry-after': '60' }), { status: 429 }, 1],
    ['retries 500 up to the limit', failWith(500), { status: 500 }, 3],
    ['does not retry 400', failWith(400), { status: 400 }, 1],
    ['does not retry 401', failWith(401), { status: 401 }, 1],
    ['does not retry 404', failWith(404), { status: 404 }, 1],
    ['does not retry 302', failWith(302), { status: 302 }, 1],
    ['ends a hanging request without a retry', FAULTS['hangs before headers'], { failure: 'timeout' }, 1, 200],
  ])('%s', async (_, behaviour, failed, calls, timeoutMs = OPTIONS.timeoutMs) => {
    const { server, embedder } = await start([behaviour])
    const embedded = await embedder.embed(['a'], { ...OPTIONS, timeoutMs })
    expect(embedded).toMatchObject({ ok: false, failure: 'status', ...failed })
    expect(server.calls).toHaveLength(calls)
  })

  test.each([
    ['HTML', 'malformed', respond('<html></html>', { headers: { 'content-type': 'text/html' } })],
    ['half of its JSON', 'malformed', respond('{"data": [')],
    ['no data', 'malformed', respond({ error: 'none' })],
    ['a vector too few', 'malformed', respond({ data: [] })],
    ['an index twice', 'malformed', embeddings([0, [1, 2]], [0, [1, 2]])],
    ['a vector that is too short', 'dimensions', embedding(1)],
    ['a vector that is too long', 'dimensions', embedding(1, 2, 3)],
    ['an empty vector', 'dimensions', embedding()],
    ['null for NaN', 'unusable', embedding(1, null)],
    ['words for numbers', 'unusable', embedding(1, '2')],
    ['a number beyond all numbers', 'unusable', respond('{"data": [{"index": 0, "embedding": [1e999, 1]}]}')],
    ['a vector without direction', 'unusable', embedding(0, 0)],
  ] as const)('%s: refused', async (what, failure, behaviour) => {
    const { embedder } = await start([behaviour], { dimensions: 2 })
    const texts = what === 'an index twice' ? ['a', 'b'] : ['a']
    expect(await embedder.embed(texts, { ...OPTIONS, retries: 0 })).toMatchObject({ ok: false, failure })
  })

  test('refuses vectors of different lengths when no dimensions are configured', async () => {
    const { embedder } = await start([embeddings([0, [1, 0]], [1, [1, 0, 0]])])
    expect(await embedder.embed(['a', 'b'], OPTIONS)).toMatchObject({ ok: false, failure: 'dimensions' })
  })

  test('does not connect to an address that is not permitted', async () => {
    const { server, embedder } = await start([well], { allowPrivate: false })
    expect(await embedder.embed(['a'], OPTIONS)).toMatchObject({ ok: false, failure: 'blocked' })
    expect(server.connections()).toBe(0)
  })
})

describe('batches', () => {
  test('contain every text once, in order, within the limits', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000)), (lengths) => {
        const texts = lengths.map((length) => 'x'.repeat(length))
        const batches = batchesOf(texts)
        expect(batches.flat()).toEqual(texts)
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(32)
          if (batch.length > 1) expect(batch.join('').length).toBeLessThanOrEqual(48_000)
        }
      }),
    )
  })

  test.each(['x', 'é', '語', '🙂', 'a🙂'])('cuts a long text of %s between characters', (letter) => {
    const cut = cutText(letter.repeat(30_000))
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(24_000)
    expect(Buffer.byteLength(cut)).toBeGreaterThan(23_000)
    expect(cut.isWellFormed()).toBe(true)
    expect(letter.repeat(30_000).startsWith(cut)).toBe(true)
  })
})
