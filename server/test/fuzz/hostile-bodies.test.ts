import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { CHAT, ENDPOINTS, expectEnvelope, toGatewayResponse } from '../support/gateway-client.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { parseChunks } from '../support/stream-chunks.ts'
import { chatBody, hostileText, mutated, otherBody } from './arbitraries.ts'

/** `npm test` takes this share of the cases. */
const SHARE = inject('isFull') ? 1 : 0.1
/** Cases that are sent at the same time, in one run of a property. */
const AT_ONCE = 100
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121)
/** Reproduce a failure with FUZZ_SEED. */
const runs = (cases: number): fc.Parameters<unknown> => ({
  seed: SEED,
  numRuns: Math.ceil((cases * SHARE) / AT_ONCE),
  interruptAfterTimeLimit: 270_000,
  markInterruptAsFailure: true,
})

const governed = await closeAfterAll(sharedGoverned())
// All extensions are enabled, so that few requests are refused early.
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token

interface Case {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends a request without a socket. Throws unless the response is a success or an error envelope, with a request id. */
async function send({ method, path, headers, body }: Case): Promise<number> {
  const response = await governed.server.app.inject({
    method: method as 'POST',
    url: path,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { payload: body }),
  })
  const { statusCode } = response
  if (!response.headers['x-request-id']) throw new Error('no x-request-id')
  const answer = toGatewayResponse(statusCode, new Headers(response.headers as Record<string, string>), response.body)
  if (statusCode >= 500) throw new Error(`${statusCode} ${response.body.slice(0, 500)}`)
  if (statusCode >= 400) expectEnvelope(answer)
  else if (String(response.headers['content-type']).startsWith('text/event-stream')) parseChunks(response.body)
  else if (statusCode < 300 && answer.body === undefined && !/html/.test(String(response.headers['content-type'])))
    throw new Error(`no answer: ${response.body}`)
  return statusCode
}

const seen = new Map<number, number>()
let cases = 0

/** Checks the responses to `count` generated cases. */
const checkCases = (one: fc.Arbitrary<Case>, count: number) =>
  fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (batch) => {
      for (const status of await Promise.all(batch.map(send))) {
        seen.set(status, (seen.get(status) ?? 0) + 1)
        cases++
      }
    }),
    runs(count),
  )

const post =
  (path: string) =>
  (body: string | Buffer): Case => ({ method: 'POST', path, body })
const asJson = (value: unknown) => JSON.stringify(value)
const POSTS = ENDPOINTS.filter(({ method }) => method === 'POST').map(({ path }) => path)

describe(`generated bodies (FUZZ_SEED=${SEED})`, { timeout: 300_000 }, () => {
  test('hostile bodies: response is a success or the error envelope when a chat is nearly valid', async () => {
    await checkCases(chatBody.map(asJson).map(post(CHAT)), 3_000)
  })
  test('hostile bodies: response is a success or the error envelope when a search or capture is nearly valid', async () => {
    await checkCases(
      fc.tuple(fc.constantFrom(...POSTS), otherBody.map(asJson)).map(([path, body]) => post(path)(body)),
      3_000,
    )
  })
  test('hostile bodies: response is a success or the error envelope when the body is random JSON', async () => {
    await checkCases(
      fc.tuple(fc.constantFrom(...POSTS), fc.json({ depthSize: 'large' })).map(([path, body]) => post(path)(body)),
      6_000,
    )
  })
  test('hostile bodies: response is a success or the error envelope when bytes of the JSON are changed', async () => {
    await checkCases(
      fc.tuple(fc.constantFrom(...POSTS), mutated(chatBody.map(asJson))).map(([path, body]) => post(path)(body)),
      6_000,
    )
  })
  test('hostile bodies: response is a success or the error envelope when the body is random bytes', async () => {
    await checkCases(
      fc
        .tuple(fc.constantFrom(...POSTS), fc.uint8Array({ maxLength: 300 }))
        .map(([path, bytes]) => post(path)(Buffer.from(bytes))),
      1_500,
    )
  })
  test('hostile bodies: response is a success or the error envelope when path, method and headers are random', async () => {
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')
    const segment = fc.oneof(
      fc.constantFrom(
        'v1',
        'audit',
        'models',
        'chat',
        'completions',
        'admin',
        'reviews',
        '%',
        '%00',
        '..',
        'aud_',
        'openapi.json',
      ),
      fc.webSegment(),
      hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
    )
    const path = fc.oneof(
      fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`),
      fc.constantFrom(...ENDPOINTS.map((endpoint) => endpoint.path), '/admin/v1/applications', '/admin/v1/reviews?state=x'),
    )
    const name = fc.constantFrom(
      'authorization',
      'content-type',
      'x-request-id',
      'x-gateway-user-token',
      'x-gatehouse-workspace',
      'accept',
      'cookie',
      'content-encoding',
    )
    // Node's parser refuses all other header values.
    const value = fc.oneof(
      fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
      fc.constantFrom('', 'Bearer', 'application/json', 'gzip', 'null', 'Bearer ga_x'),
    )
    const headers = fc.dictionary(name, value, { maxKeys: 3 })
    await checkCases(
      fc.record({ method, path, headers }).filter(({ method, path }) => !(method === 'HEAD' || path === '/')),
      2_000,
    )
  })

  test(`hostile bodies: server responds normally after at least ${20_000 * SHARE} cases of many kinds`, async () => {
    expect(cases).toBeGreaterThanOrEqual(20_000 * SHARE)
    // Enough requests passed all stages, and every kind of refusal occurred.
    expect(seen.get(200)).toBeGreaterThan(1_000 * SHARE)
    expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405, 409, 415, 422]))
    const sentPrompt = await governed.sendPrompt()
    expect(sentPrompt.response.status).toBe(200)
    // No request caused an internal error.
    expect(governed.server.logs()).not.toMatch(/"level":(50|60)/)
  })
})
