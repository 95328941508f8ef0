import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { addBaseUrl, type PublicBaseOptions } from './public-base.ts'

const DEFAULTS: PublicBaseOptions = { publicUrl: undefined, trustedProxies: [], host: '127.0.0.1' }
const HOSTILE = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  forwarded: 'host=evil.example;proto=https',
}

let app: FastifyInstance | undefined
afterEach(() => app?.close())

const baseOf = async (options: Partial<PublicBaseOptions>, headers: Record<string, string>, remoteAddress = '192.0.2.1') => {
  app = fastify()
  addBaseUrl(app, { ...DEFAULTS, ...options })
  app.get('/', async ({ base }) => base)
  return (await app.inject({ url: '/', headers, remoteAddress })).body
}

test('base: is the public URL, whatever callers and proxies say', async () => {
  const options = { publicUrl: 'https://gatehouse.example.com', trustedProxies: ['192.0.2.0/24'] }
  expect(await baseOf(options, HOSTILE)).toBe('https://gatehouse.example.com')
})

test.each(['127.0.0.1', '0.0.0.0', 'gatehouse.internal'])(
  'base: names no Host of a caller when the server listens on %s',
  async (host) => {
    const base = await baseOf({ host }, HOSTILE)
    expect(base).not.toContain('evil.example')
    expect(base).toMatch(/^http:\/\/(127\.0\.0\.1|gatehouse\.internal):\d+$/)
  },
)

test('base: forwarding headers count only when the connection comes from a trusted proxy', async () => {
  const headers = { host: 'internal', 'x-forwarded-host': 'Gatehouse.Example.com', 'x-forwarded-proto': 'https' }
  const options = { trustedProxies: ['10.0.0.0/8', '2001:db8::/32'] }
  expect(await baseOf(options, headers, '10.1.2.3')).toBe('https://gatehouse.example.com')
  expect(await baseOf(options, headers, '::ffff:10.1.2.3')).toBe('https://gatehouse.example.com')
  expect(await baseOf(options, headers, '2001:db8::1')).toBe('https://gatehouse.example.com')
  expect(await baseOf(options, headers, '192.0.2.1')).toMatch(/^http:\/\/127\.0\.0\.1:/)
})

test('base: of several forwarded hosts the one counts that the trusted proxy has added', async () => {
  const options = { trustedProxies: ['10.0.0.1'] }
  const forwarded = 'host=evil.example;proto=http, for=1.2.3.4;host="real.example:8443";proto=https'
  expect(await baseOf(options, { forwarded }, '10.0.0.1')).toBe('https://real.example:8443')
  const list = { 'x-forwarded-host': 'evil.example, real.example', 'x-forwarded-proto': 'http, https' }
  expect(await baseOf(options, list, '10.0.0.1')).toBe('https://real.example')
})

test.each(['a b', 'x/y', 'user@host', 'h:123456', ''])('base: a forwarded host that is none is ignored: %j', async (value) => {
  expect(await baseOf({ trustedProxies: ['10.0.0.1'] }, { 'x-forwarded-host': value }, '10.0.0.1')).toMatch(/^http:\/\/127/)
})
