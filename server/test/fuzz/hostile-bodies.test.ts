import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { CHAT, ENDPOINTS } from '../support/gateway-client.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { parseChunks } from '../support/stream-chunks.ts'
import { chatBody, hostileText, mutated, otherBody } from './arbitraries.ts'
import { caseChecker, type HttpCase, injectCase, SEED, SHARE } from './generated-cases.ts'

const governed = await closeAfterAll(sharedGoverned())
// All extensions are enabled, so that few requests are refused early.
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token

/** Throws unless the response is a success or an error envelope. */
async function send(one: HttpCase): Promise<number> {
  const { status, headers, text, body } = await injectCase(governed.server.app, token, one)
  const type = headers.get('content-type') ?? ''
  if (status < 300 && type.startsWith('text/event-stream')) parseChunks(text)
  else if (status < 300 && body === undefined && !type.includes('html')) throw new Error(`no answer: ${text}`)
  return status
}

const cases = caseChecker(send, { atOnce: 100, limitMs: 270_000 })

const POSTS = ENDPOINTS.filter(({ method }) => method === 'POST').map(({ path }) => path)
const toEach = (bodies: fc.Arbitrary<string | Buffer>, paths: readonly string[] = POSTS): fc.Arbitrary<HttpCase> =>
  fc.record({ method: fc.constant('POST'), path: fc.constantFrom(...paths), body: bodies })
const asJson = (value: unknown) => JSON.stringify(value)

describe(`generated bodies (FUZZ_SEED=${SEED})`, { timeout: 300_000 }, () => {
  test.each<[string, fc.Arbitrary<HttpCase>, number]>([
    ['a chat is nearly valid', toEach(chatBody.map(asJson), [CHAT]), 3_000],
    ['a search or capture is nearly valid', toEach(otherBody.map(asJson)), 3_000],
    ['the body is random JSON', toEach(fc.json({ depthSize: 'large' })), 6_000],
    ['bytes of the JSON are changed', toEach(mutated(chatBody.map(asJson))), 6_000],
    ['the body is random bytes', toEach(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))), 1_500],
  ])('hostile bodies: response is a success or the error envelope when %s', async (_, bodies, count) => {
    await cases.check(bodies, count)
  })
  test('hostile bodies: response is a success or the error envelope when path, method and headers are random', async () => {
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')
    const segment = fc.oneof(
      fc.constantFrom('v1', 'audit', 'models', 'chat', 'completions', 'admin', 'reviews', 'openapi.json'),
      fc.constantFrom('%', '%00', '..', 'aud_'),
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
    await cases.check(
      fc.record({ method, path, headers }).filter(({ method, path }) => !(method === 'HEAD' || path === '/')),
      2_000,
    )
  })

  test(`hostile bodies: server responds normally after at least ${20_000 * SHARE} cases of many kinds`, async () => {
    expect(cases.sent()).toBeGreaterThanOrEqual(20_000 * SHARE)
    // Enough requests passed all stages, and every kind of refusal occurred.
    expect(cases.seen.get(200)).toBeGreaterThan(1_000 * SHARE)
    expect([...cases.seen.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405, 409, 415, 422]))
    const sentPrompt = await governed.sendPrompt()
    expect(sentPrompt.response.status).toBe(200)
    // No request caused an internal error.
    expect(governed.server.logs()).not.toMatch(/"level":(50|60)/)
  })
})
