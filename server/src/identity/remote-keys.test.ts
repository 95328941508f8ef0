import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JWK } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { generateUserTokenKeys, signUserToken } from '../demo/user-tokens.ts'
import { KeysUnavailableError } from './remote-keys.ts'
import { DEFAULT_WORKSPACE_SETTINGS } from './workspace.ts'
import { WorkspaceTokenVerifier } from './workspace-token-verifier.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
let server: Server
let url: string
let requests: number
let answer: RequestListener
let first: { privateJwk: JWK; publicJwk: JWK }
let second: { privateJwk: JWK; publicJwk: JWK }

const publish =
  (...keys: JWK[]): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify({ keys }))
const token = (privateJwk: JWK) =>
  signUserToken(privateJwk, { sub: 'ann', issuedAt: NOW, expiresAt: new Date(NOW.getTime() + 3_600_000) })
const newTrust = () => new WorkspaceTokenVerifier({ ...DEFAULT_WORKSPACE_SETTINGS, jwks: { url } }, fetch)
/** Both clocks that the keys' age is measured with, that many seconds from now. */
const later = (seconds: number) => {
  const [date, monotonic] = [Date.now() + seconds * 1_000, performance.now() + seconds * 1_000]
  vi.spyOn(Date, 'now').mockReturnValue(date)
  vi.spyOn(performance, 'now').mockReturnValue(monotonic)
}

beforeEach(async () => {
  requests = 0
  server = createServer((request, response) => {
    requests += 1
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  first = await generateUserTokenKeys()
  second = await generateUserTokenKeys()
  answer = publish(first.publicJwk)
})
afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('keys are read once for many tokens', async () => {
  const trust = newTrust()
  const tokens = await Promise.all(Array.from({ length: 20 }, () => token(first.privateJwk)))
  const verdicts = await Promise.all(tokens.map((text) => trust.verify(text, NOW)))
  expect(verdicts.every(({ ok }) => ok)).toBe(true)
  expect(requests).toBe(1)
})

test('an unknown key makes it look again, at most every 30 s [GW-AUTH-11]', async () => {
  const trust = newTrust()
  await trust.verify(await token(first.privateJwk), NOW)
  answer = publish(first.publicJwk, second.publicJwk)
  for (let i = 0; i < 20; i++) expect(await trust.verify(await token(second.privateJwk), NOW)).toMatchObject({ ok: false })
  expect(requests).toBe(1)
  later(31)
  expect(await trust.verify(await token(second.privateJwk), NOW)).toMatchObject({ ok: true })
  expect(requests).toBe(2)
  const mallory = await generateUserTokenKeys()
  for (let i = 0; i < 20; i++) expect(await trust.verify(await token(mallory.privateJwk), NOW)).toMatchObject({ ok: false })
  expect(requests).toBe(2)
})

test('a server that fails is asked again after a pause, not with every token; what it gave before still counts meanwhile', async () => {
  const trust = newTrust()
  answer = (_, response) => response.writeHead(503).end()
  for (let i = 0; i < 20; i++)
    await expect(trust.verify(await token(first.privateJwk), NOW)).rejects.toThrow(KeysUnavailableError)
  expect(requests).toBe(1)
  later(6)
  answer = publish(first.publicJwk)
  expect(await trust.verify(await token(first.privateJwk), NOW)).toMatchObject({ ok: true })
  expect(requests).toBe(2)
  later(31)
  answer = (_, response) => response.writeHead(503).end()
  const stranger = await token(second.privateJwk)
  for (let i = 0; i < 20; i++) await expect(trust.verify(stranger, NOW)).rejects.toThrow(KeysUnavailableError)
  expect(requests).toBe(3)
  expect(await trust.verify(await token(first.privateJwk), NOW)).toMatchObject({ ok: true })
})

test('keys that their owner has withdrawn count for ten minutes more', async () => {
  const trust = newTrust()
  expect(await trust.verify(await token(first.privateJwk), NOW)).toMatchObject({ ok: true })
  answer = publish(second.publicJwk)
  later(601)
  expect(await trust.verify(await token(first.privateJwk), new Date(NOW.getTime() + 601_000))).toMatchObject({ ok: false })
})

test.each<[string, RequestListener]>([
  ['redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['is not found', (_, response) => response.writeHead(404).end('{"keys":[]}')],
  ['sends no JSON', (_, response) => response.end('<html>')],
  ['sends no set', (_, response) => response.end('{"keys":"none"}')],
  ['sends null', (_, response) => response.end('null')],
  ['sends keys that are none', (_, response) => response.end('{"keys":[null,7]}')],
  ['sends more than 256 KiB', (_, response) => response.end(JSON.stringify({ keys: [], more: 'x'.repeat(300_000) }))],
  ['breaks off', (_, response) => response.writeHead(200, { 'content-length': 1_000 }).write('{', () => response.destroy())],
])('a server that %s has no keys to offer: nobody is let in', async (_, listener) => {
  answer = listener
  const trust = newTrust()
  await expect(trust.verify(await token(first.privateJwk), NOW)).rejects.toThrow(KeysUnavailableError)
})

test('a server that sends without end is cut off', async () => {
  answer = (_, response) => {
    const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
    response.on('close', () => clearInterval(timer))
  }
  await expect(newTrust().verify(await token(first.privateJwk), NOW)).rejects.toThrow(KeysUnavailableError)
})

test('a server that hangs is given up after 3 s', async () => {
  answer = (_, response) => response.writeHead(200).write(' ')
  const startedAt = performance.now()
  await expect(newTrust().verify(await token(first.privateJwk), NOW)).rejects.toThrow(KeysUnavailableError)
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})

test('private and symmetric keys in a set are of no use to anybody', async () => {
  const secret = Buffer.from('0123456789abcdef0123456789abcdef')
  answer = publish(first.privateJwk, { kty: 'oct', k: secret.toString('base64url'), kid: 'oct' })
  expect(await newTrust().verify(await token(first.privateJwk), NOW)).toMatchObject({ ok: false })
})
