import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENDPOINTS, expectError, expectSuccess, type GatewayResponse } from '../../support/gateway-client.ts'
import { clock, governed } from '../shared-server.ts'

const ISSUER = 'https://people.example'
const AUDIENCE = 'gatehouse'

/** Key pairs of each algorithm that a Workspace may trust. */
const KEYS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
} as const
type Algorithm = keyof typeof KEYS
const ALGORITHMS = Object.keys(KEYS) as Algorithm[]
const untrustedKeys = generateKeyPairSync('ed25519')

let originalSettings: unknown
let workspace: string
const trust = async (settings: object) =>
  void expectSuccess(await governed.admin('PATCH', `/workspaces/${workspace}`, { json: { settings } }))
const jwkOf = async (name: Algorithm) => ({ ...(await exportJWK(KEYS[name].publicKey)), alg: name, kid: name, use: 'sig' })
const jwks = async (...names: Algorithm[]) => ({ keys: await Promise.all(names.map(jwkOf)) })

const CLAIMS: JWTPayload = { sub: 'mara', role: 'pilot', department: 'hangar', attributes: { wing: 'left' } }

interface TokenChange {
  readonly alg?: Algorithm
  readonly claims?: JWTPayload
  /** Seconds from now. */
  readonly expires?: number
  readonly header?: object
  readonly key?: Parameters<SignJWT['sign']>[0]
}

function token({
  alg = 'EdDSA',
  claims = {},
  expires = 300,
  header = {},
  key = KEYS[alg].privateKey,
}: TokenChange = {}): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1_000)
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + expires, ...CLAIMS, ...claims })
    .setProtectedHeader({ alg, kid: alg, ...header })
    .sign(key)
}
const sendRequest = (userToken: string, prompt = 'Good morning', more = {}): Promise<GatewayResponse> =>
  governed.chat(prompt, more, { userToken })
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('identity', () => {
  beforeAll(async () => {
    const [first] = expectSuccess(await governed.admin('GET', '/workspaces')).data
    workspace = String(first?.id)
    originalSettings = first?.settings
    await trust({ jwks: await jwks(...ALGORITHMS), issuer: ISSUER, audience: AUDIENCE })
  })
  afterAll(() => trust(originalSettings as object))

  test.each(ALGORITHMS)('%s verifies [GW-AUTH-10]', async (alg) => {
    expect(expectSuccess(await sendRequest(await token({ alg }))).governance.user_verified).toBe(true)
  })
  test('claims: sub, role, department and attributes replace the asserted user [GW-AUTH-6, GW-AUTH-9]', async () => {
    const assertion = { governance: { user: { id: 'noor', role: 'clerk', department: 'office', attributes: { wing: 'right' } } } }
    const verified = await token({ claims: { sub: 'pilot-7' } })
    for (const mark of ['juniper-verified', 'juniper-pilot', 'juniper-wing']) {
      expect(expectSuccess(await sendRequest(verified, mark, assertion)).governance.decision.verdict, mark).toBe('escalate')
    }
    const { audit_id } = expectSuccess(await sendRequest(verified, 'x', assertion)).governance
    expect((await governed.record(audit_id)).user).toMatchObject({ verified: true, role: 'pilot', department: 'hangar' })
  })
  test('assertion: trusted and not verified when there is no user token [GW-AUTH-5, GW-AUTH-7]', async () => {
    const assertion = { governance: { user: { id: 'mara', attributes: { verified: true } } } }
    const response = await governed.chat('juniper-verified', assertion)
    expect(expectSuccess(response).governance).toMatchObject({ user_verified: false, decision: { verdict: 'allow' } })
  })
  test('claim names are configurable per Workspace [GW-AUTH-9]', async () => {
    await trust({ claims: { role: 'job', department: 'team' } })
    const renamed = await token({ claims: { sub: 'pilot-7', role: 'x', department: 'x', job: 'pilot', team: 'hangar' } })
    expect(expectSuccess(await sendRequest(renamed, 'juniper-pilot')).governance.decision.verdict).toBe('escalate')
    await trust({ claims: null })
  })

  const refusals: readonly (readonly [string, () => string | Promise<string>])[] = [
    ['a wrong signature', async () => token({ key: untrustedKeys.privateKey })],
    ['altered claims', async () => altered(await token())],
    ['expiry', () => token({ expires: -60 })],
    ['another issuer', () => token({ claims: { iss: 'https://elsewhere.example' } })],
    ['no issuer', () => token({ claims: { iss: undefined } as unknown as JWTPayload })],
    ['another audience', () => token({ claims: { aud: 'elsewhere' } })],
    ['an unknown key', () => token({ header: { kid: 'other' }, key: untrustedKeys.privateKey })],
    ['algorithm none', async () => `${base64({ alg: 'none' })}.${(await token()).split('.')[1]}.`],
    ['HMAC under the public key', async () => hmac(await jwkOf('RS256'))],
    ['no expiry', () => token({ claims: { exp: undefined } as unknown as JWTPayload })],
    ['no subject', () => token({ claims: { sub: undefined } as unknown as JWTPayload })],
    ['not yet valid', () => token({ claims: { nbf: Math.floor(clock.now().getTime() / 1_000) + 3_600 } })],
    ['garbage', () => 'nonsense'],
    ['an empty token', () => ''],
    ['two tokens', async () => `${await token()}, ${await token()}`],
    ['a token of 20,000 letters', () => `${'x'.repeat(20_000)}`.slice(0, 15_000)],
  ]
  test.each(refusals)(
    '%s: 401 AUTH_INVALID_USER_TOKEN, and the assertion is not used [GW-AUTH-8, API-ERR-5]',
    async (_, make) => {
      const response = await sendRequest(await make(), 'Good morning', { governance: { user: { id: 'noor' } } })
      expectError(response, 'AUTH_INVALID_USER_TOKEN')
    },
  )
  test('times: 30 seconds of clock difference are tolerated [GW-AUTH-10]', async () => {
    expectSuccess(await sendRequest(await token({ expires: -20 })))
    expectError(await sendRequest(await token({ expires: -40 })), 'AUTH_INVALID_USER_TOKEN')
  })
  test.each(ENDPOINTS.filter(({ method }) => method === 'POST'))(
    'the header is accepted on $path [GW-AUTH-12]',
    async ({ path, json }) => {
      expectError(await governed.post(path, json, { userToken: 'nonsense' }), 'AUTH_INVALID_USER_TOKEN')
      const { headers } = await governed.post(path, json, { userToken: await token() })
      expect((await governed.record(headers.get('x-audit-id') ?? '')).user).toMatchObject({ verified: true, role: 'pilot' })
    },
  )
  test('keys: a removed key is refused, also for a token that was valid before [GW-AUTH-8]', async () => {
    const good = await token()
    expectSuccess(await sendRequest(good))
    await trust({ jwks: await jwks('ES256') })
    expectError(await sendRequest(good), 'AUTH_INVALID_USER_TOKEN')
    await trust({ jwks: await jwks(...ALGORITHMS) })
    expectSuccess(await sendRequest(good))
  })
  test('keys: a Workspace without keys refuses every user token [GW-AUTH-8]', async () => {
    await trust({ jwks: null })
    expectError(await sendRequest(await token()), 'AUTH_INVALID_USER_TOKEN')
  })
  test('JWKS URL: 503 when it has a private address, and the assertion is not used [GW-AUTH-13, ADM-ENV-10]', async () => {
    let fetched = 0
    const keys = createServer((_request, response) => {
      fetched++
      response.end('{"keys":[]}')
    })
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve))
    await trust({ jwks: { url: `http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks` } })
    expectError(await sendRequest(await token()), 'UNAVAILABLE')
    expect(fetched).toBe(0)
    await new Promise((resolve) => keys.close(resolve))
    // The messaging API asks every Workspace of the worker's server for its keys.
    await trust({ jwks: null })
  })
})

const altered = (jwt: string): string => {
  const [header, , signature] = jwt.split('.')
  return [header, base64({ ...CLAIMS, iss: ISSUER, aud: AUDIENCE, exp: 4_000_000_000, role: 'chief' }), signature].join('.')
}

/** A token signed with the public key as its HMAC secret (RFC 8725 §3.2). */
const hmac = (publicJwk: object): Promise<string> =>
  new SignJWT({ ...CLAIMS, iss: ISSUER, aud: AUDIENCE, exp: 4_000_000_000 })
    .setProtectedHeader({ alg: 'HS256', kid: 'RS256' })
    .sign(Buffer.from(JSON.stringify(publicJwk)))
