import type { RequestListener } from 'node:http'
import type { JWK } from 'jose'
import { beforeEach, expect, test, vi } from 'vitest'
import { startLoopback } from '../../../test/support/loopback.ts'
import { generateUserTokenKeys, signUserToken } from '../../tools/demo/user-tokens.ts'
import { KeysUnavailableError } from './remote-keys.ts'
import { DEFAULT_WORKSPACE_SETTINGS } from './workspace.ts'
import { WorkspaceTokenVerifier } from './workspace-token-verifier.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
let url: string
let requests: number
let listener: RequestListener
let first: { privateJwk: JWK; publicJwk: JWK }
let second: { privateJwk: JWK; publicJwk: JWK }

const publish =
  (...keys: JWK[]): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify({ keys }))
const token = (privateJwk: JWK) =>
  signUserToken(privateJwk, { sub: 'ann', issuedAt: NOW, expiresAt: new Date(NOW.getTime() + 3_600_000) })
const newVerifier = () => new WorkspaceTokenVerifier({ ...DEFAULT_WORKSPACE_SETTINGS, jwks: { url } }, fetch)
/** Sets both clocks that measure the age of keys. */
const advanceClocks = (seconds: number) => {
  const [date, monotonic] = [Date.now() + seconds * 1_000, performance.now() + seconds * 1_000]
  vi.spyOn(Date, 'now').mockReturnValue(date)
  vi.spyOn(performance, 'now').mockReturnValue(monotonic)
}

beforeEach(async () => {
  requests = 0
  const server = await startLoopback((request, response) => {
    requests += 1
    listener(request, response)
  })
  url = `${server.url}/keys`
  first = await generateUserTokenKeys()
  second = await generateUserTokenKeys()
  listener = publish(first.publicJwk)
  return async () => {
    vi.restoreAllMocks()
    await server.close()
  }
})

test('remote keys: read once when many tokens are verified', async () => {
  const verifier = newVerifier()
  const tokens = await Promise.all(Array.from({ length: 20 }, () => token(first.privateJwk)))
  const verdicts = await Promise.all(tokens.map((text) => verifier.verify(text, NOW)))
  expect(verdicts.every(({ ok }) => ok)).toBe(true)
  expect(requests).toBe(1)
})

test('remote keys: read again at most every 30 s when a token names an unknown key [GW-AUTH-11]', async () => {
  const verifier = newVerifier()
  await verifier.verify(await token(first.privateJwk), NOW)
  listener = publish(first.publicJwk, second.publicJwk)
  for (let i = 0; i < 20; i++) expect(await verifier.verify(await token(second.privateJwk), NOW)).toMatchObject({ ok: false })
  expect(requests).toBe(1)
  advanceClocks(31)
  expect(await verifier.verify(await token(second.privateJwk), NOW)).toMatchObject({ ok: true })
  expect(requests).toBe(2)
  const attacker = await generateUserTokenKeys()
  for (let i = 0; i < 20; i++) expect(await verifier.verify(await token(attacker.privateJwk), NOW)).toMatchObject({ ok: false })
  expect(requests).toBe(2)
})

test('remote keys: cached keys stay valid and reads are repeated after a pause when the server fails', async () => {
  const verifier = newVerifier()
  listener = (_, response) => response.writeHead(503).end()
  for (let i = 0; i < 20; i++)
    await expect(verifier.verify(await token(first.privateJwk), NOW)).rejects.toThrow(KeysUnavailableError)
  expect(requests).toBe(1)
  advanceClocks(6)
  listener = publish(first.publicJwk)
  expect(await verifier.verify(await token(first.privateJwk), NOW)).toMatchObject({ ok: true })
  expect(requests).toBe(2)
  advanceClocks(31)
  listener = (_, response) => response.writeHead(503).end()
  const unknownKeyToken = await token(second.privateJwk)
  for (let i = 0; i < 20; i++) await expect(verifier.verify(unknownKeyToken, NOW)).rejects.toThrow(KeysUnavailableError)
  expect(requests).toBe(3)
  expect(await verifier.verify(await token(first.privateJwk), NOW)).toMatchObject({ ok: true })
})

test('remote keys: removed key is refused after ten minutes', async () => {
  const verifier = newVerifier()
  expect(await verifier.verify(await token(first.privateJwk), NOW)).toMatchObject({ ok: true })
  listener = publish(second.publicJwk)
  advanceClocks(601)
  expect(await verifier.verify(await token(first.privateJwk), new Date(NOW.getTime() + 601_000))).toMatchObject({ ok: false })
})

test.each<[string, RequestListener]>([
  ['redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['is not found', (_, response) => response.writeHead(404).end('{"keys":[]}')],
  ['sends no JSON', (_, response) => response.end('<html>')],
  ['sends no set', (_, response) => response.end('{"keys":"none"}')],
  ['sends null', (_, response) => response.end('null')],
  ['sends invalid keys', (_, response) => response.end('{"keys":[null,7]}')],
  ['sends more than 256 KiB', (_, response) => response.end(JSON.stringify({ keys: [], more: 'x'.repeat(300_000) }))],
  ['ends early', (_, response) => response.writeHead(200, { 'content-length': 1_000 }).write('{', () => response.destroy())],
])('remote keys: KeysUnavailableError when the server %s', async (_, failing) => {
  listener = failing
  const verifier = newVerifier()
  await expect(verifier.verify(await token(first.privateJwk), NOW)).rejects.toThrow(KeysUnavailableError)
})

test('remote keys: KeysUnavailableError when the response has no end', async () => {
  listener = (_, response) => {
    const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
    response.on('close', () => clearInterval(timer))
  }
  await expect(newVerifier().verify(await token(first.privateJwk), NOW)).rejects.toThrow(KeysUnavailableError)
})

test('remote keys: KeysUnavailableError after 3 s when the server hangs', async () => {
  listener = (_, response) => response.writeHead(200).write(' ')
  const startedAt = performance.now()
  await expect(newVerifier().verify(await token(first.privateJwk), NOW)).rejects.toThrow(KeysUnavailableError)
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})

test('remote keys: token is refused when the set holds its private or symmetric key', async () => {
  const secret = Buffer.from('0123456789abcdef0123456789abcdef')
  listener = publish(first.privateJwk, { kty: 'oct', k: secret.toString('base64url'), kid: 'oct' })
  expect(await newVerifier().verify(await token(first.privateJwk), NOW)).toMatchObject({ ok: false })
})
