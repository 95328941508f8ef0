import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { CHAT, expectEnvelope } from '../support/gateway-client.ts'
import { formatRequest, parseResponse, sendBytes } from '../support/raw-http.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { mutated } from './arbitraries.ts'
import { caseChecker, SEED, SHARE } from './generated-cases.ts'

const WAIT_MS = 4_000

const governed = await closeAfterAll(sharedGoverned())

const BODY = JSON.stringify({ model: 'demo-mini', messages: [{ role: 'user', content: 'Good morning' }] })
const headers = () => ({ authorization: `Bearer ${governed.key()}`, 'content-type': 'application/json' })
const request = (change: object = {}, body = BODY, path = CHAT, method = 'POST') =>
  formatRequest({ method, path, headers: { ...headers(), ...change }, body })

const encoded = (encoding: string, body: string) =>
  request({ 'transfer-encoding': encoding }, body).replace(/content-length: \d+\r\n/, '')

/** Sends bytes; throws unless the response is a success or an error envelope. Returns the status, or undefined if none came. */
async function check(bytes: string | Buffer, { mayBeSilent = false, quietMs = 1_500 } = {}): Promise<number | undefined> {
  const received = await sendBytes(governed.base, bytes, { ms: WAIT_MS, quietMs })
  const answer = parseResponse(received)
  if (!answer) {
    if (received.length > 0 || !mayBeSilent)
      throw new Error(
        `no HTTP answer to ${JSON.stringify(String(bytes).slice(0, 300))}: ${received.toString('latin1').slice(0, 300)}`,
      )
    return undefined
  }
  if (answer.status >= 500) throw new Error(`${answer.status} ${answer.text}`)
  if (answer.status >= 400) expectEnvelope(answer)
  return answer.status
}

/** Malformed and unusual requests with the statuses that they may get. */
const KNOWN: Readonly<Record<string, readonly [() => string | Buffer, readonly (number | undefined)[]]>> = {
  'bad percent-encoding': [() => request({}, '', '/v1/audit/%zz', 'GET'), [404]],
  'percent-encoded nonsense': [() => request({}, '', '/v1/audit/%ff%fe', 'GET'), [404]],
  'a path of 10,000 letters': [() => request({}, '', `/${'x'.repeat(10_000)}`, 'GET'), [404]],
  'an absolute URL': [() => request({}, '', 'http://elsewhere.example/v1/models', 'GET'), [200, 404]],
  'a path of dots': [() => request({}, '', '/v1/../../etc/passwd', 'GET'), [404]],
  'huge headers': [() => request({ 'x-large': 'x'.repeat(20_000) }), [413]],
  'a thousand headers': [() => request(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x-${i}`, 'x']))), [200, 413]],
  'a content-length that is no number': [() => request({ 'content-length': 'x' }), [400]],
  'a negative content-length': [() => request({ 'content-length': '-1' }), [400]],
  'two content-lengths': [() => request({ 'Content-Length': '5' }), [400]],
  'a content-length and chunks': [() => request({ 'transfer-encoding': 'chunked' }), [400]],
  'a content-length that is too long': [() => request({ 'content-length': '20000000' }), [413]],
  'a content-length beyond every number': [() => request({ 'content-length': '9'.repeat(30) }), [400, 413]],
  'a content-length that is too short': [() => request({ 'content-length': '10' }), [400]],
  'chunks that are garbage': [() => encoded('chunked', 'zz\r\nnonsense\r\n'), [400]],
  'a chunk of endless size': [() => encoded('chunked', 'ffffffffffffffff\r\nx'), [400, 413]],
  'an unknown transfer-encoding': [() => encoded('x', BODY), [400, 415]],
  'another charset': [
    () => request({ 'content-type': 'application/json; charset=utf-16' }, Buffer.from(BODY, 'utf16le').toString('latin1')),
    [400],
  ],
  'a compressed body': [() => request({ 'content-encoding': 'gzip' }), [200, 400, 415]],
  'no content type': [() => request({ 'content-type': '' }), [400, 415]],
  'a header without a name': [() => request({ '': 'x' }), [400]],
  'a header with a line break': [() => request({ 'x-request-id': 'a\r\nx-evil: 1' }), [200]],
  'a bare line feed': [() => `GET /v1/models HTTP/1.1\nhost: x\nauthorization: Bearer ${governed.key()}\n\n`, [200, 400]],
  'no host': [() => request().replace('host: localhost\r\n', ''), [200, 400]],
  'HTTP/0.9': [() => 'GET /\r\n\r\n', [302, 400]],
  'HTTP/2 preface': [() => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  TLS: [() => Buffer.from('16030100a5010000a1030300', 'hex'), [400]],
  'an unknown method': [() => request({}, '', '/v1/models', 'BREW'), [400, 404, 405]],
  CONNECT: [() => request({}, '', 'example.org:443', 'CONNECT'), [undefined, 400, 404, 405]],
  'an upgrade': [() => request({ connection: 'upgrade, close', upgrade: 'websocket' }, '', '/v1/models', 'GET'), [200, 400]],
  Expect: [() => request({ expect: '200-maybe' }), [200, 400, 417]],
  'a body with GET': [() => request({}, BODY, '/v1/models', 'GET'), [200]],
  'nothing but zeros': [() => Buffer.alloc(1_000), [400]],
}

test.each(Object.entries(KNOWN))(
  'hostile HTTP: response is a success or the error envelope when the request has %s',
  async (_, [make, expected]) => {
    expect(expected).toContain(await check(make(), { mayBeSilent: expected.includes(undefined) }))
  },
)

test('hostile HTTP: pipelined requests get responses in order, each with its own request id', async () => {
  const one = (id: string) => request({ connection: 'keep-alive', 'x-request-id': id }, '', '/v1/models', 'GET')
  const bytes = await sendBytes(
    governed.base,
    `${['a', 'b', 'c'].map(one).join('')}${request({ 'x-request-id': 'd' }, '', '/v1/models', 'GET')}`,
  )
  expect(bytes.toString().match(/x-request-id: (\w)/g)).toEqual(['a', 'b', 'c', 'd'].map((id) => `x-request-id: ${id}`))
})
test('hostile HTTP: server sends one response when a second request follows a content-length that is too short', async () => {
  const inner = request({}, '', '/v1/models', 'GET')
  const bytes = await sendBytes(governed.base, request({ 'content-length': '0', connection: 'close' }, inner))
  expect(bytes.toString().match(/HTTP\/1\.1 /g)).toHaveLength(1)
})

const CHANGED = 480

test(`hostile HTTP: no response is a 5xx when ${CHANGED * SHARE} requests have changed bytes (FUZZ_SEED=${SEED})`, async () => {
  const paths = fc.constantFrom(CHAT, '/v1/models', '/v1/audit/x', '/openapi.json')
  const requests = fc
    .tuple(paths, fc.constantFrom('POST', 'GET'))
    .map(([path, method]) => request({}, method === 'POST' ? BODY : '', path, method))
  const send = async (bytes: Buffer) => (await check(bytes, { mayBeSilent: true, quietMs: 150 })) ?? 0
  await caseChecker(send, { atOnce: 40, limitMs: 270_000 }).check(mutated(requests, ['flip', 'drop', 'double']), CHANGED)
}, 300_000)

test('hostile HTTP: server responds normally after all cases', async () => {
  expect((await governed.sendPrompt()).response.status).toBe(200)
  expect(governed.server.logs()).not.toMatch(/"level":(50|60)/)
})
