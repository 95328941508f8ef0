import { type Dispatcher, Pool } from 'undici'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScriptedTokens, startScriptedTokens } from '../../../test/support/scripted-google.ts'
import { AccessTokens } from './access-tokens.ts'
import { parseServiceAccount, parseServicePrincipal } from './credentials.ts'

const pools: Pool[] = []
let google: ScriptedTokens
let time = 0
let tokens: AccessTokens
beforeEach(async () => {
  time = 1_800_000_000_000
  google = await startScriptedTokens({ now: () => time })
  tokens = new AccessTokens((origin) => {
    const pool = new Pool(origin)
    pools.push(pool)
    return pool
  })
})
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.destroy()))
  await google.close()
})

const tokenOf = (change: object = {}, more: { timeoutMs?: number; signal?: AbortSignal; allowPrivate?: boolean } = {}) => {
  const { allowPrivate = true, timeoutMs = 20_000, signal } = more
  return tokens.tokenOf(parseServiceAccount(google.keyFile(change)), { now: () => time, timeoutMs, signal }, allowPrivate)
}

test('access token: one exchange serves all requests until shortly before the token expires', async () => {
  const results = await Promise.all(Array.from({ length: 5 }, () => tokenOf()))
  expect(new Set(results.map((result) => result.ok && result.token))).toEqual(new Set(['ya29.scripted-1']))
  time += 3_299_000
  expect(await tokenOf()).toMatchObject({ token: 'ya29.scripted-1' })
  time += 1_000
  const renewed = await Promise.all(Array.from({ length: 5 }, () => tokenOf()))
  expect(new Set(renewed.map((result) => result.ok && result.token))).toEqual(new Set(['ya29.scripted-2']))
  expect(google.issued).toHaveLength(2)
})

test('access token: another key of the account gets another token', async () => {
  await tokenOf()
  await tokenOf({ project_id: 'another-project' })
  expect(google.issued).toHaveLength(2)
})

test.each([
  ['the key is of another account', { client_email: 'other@acme.example.com' }],
  ['the private key is not one', { private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' }],
])('access token: is refused as a wrong key when %s', async (_, change) =>
  expect(await tokenOf(change)).toEqual({ ok: false, failure: 'status', status: 401, code: 'ERR_ACCESS_TOKEN' }),
)

test.each([
  ['fails', 503, {}],
  ['sends no token', 200, { expires_in: 3_600 }],
  ['sends a token that is no header', 200, { access_token: 'a b', expires_in: 3_600 }],
  ['sends no lifetime', 200, { access_token: 'token' }],
])('access token: is a failed connection when the token endpoint %s, and is requested again', async (_, status, body) => {
  google.fail({ status, body })
  expect(await tokenOf()).toEqual({ ok: false, failure: 'connect', status: 0, code: 'ERR_ACCESS_TOKEN' })
  google.fail(undefined)
  expect(await tokenOf()).toMatchObject({ ok: true })
})

test('access token: a private token endpoint is blocked where private addresses are not allowed', async () => {
  expect(await tokenOf({}, { allowPrivate: false })).toMatchObject({ ok: false, failure: 'blocked' })
  expect(google.issued).toEqual([])
})

test('access token: a caller that leaves does not end the exchange of the others', async () => {
  const caller = new AbortController()
  const [left, other] = [tokenOf({}, { signal: caller.signal }), tokenOf()]
  caller.abort()
  expect(await left).toMatchObject({ ok: false, failure: 'aborted' })
  expect(await other).toMatchObject({ ok: true })
  expect(google.issued).toHaveLength(1)
})

test('access token: a caller waits no longer than its own limit', async () => {
  const silent = new AccessTokens(() => ({ dispatch: () => true }) as unknown as Dispatcher)
  const result = await silent.tokenOf(parseServiceAccount(google.keyFile()), { now: () => time, timeoutMs: 50 }, true)
  expect(result).toMatchObject({ ok: false, failure: 'timeout' })
})

const FIELDS = { appId: 'app', password: 'p~w', tenant: 'acme.example.com', displayName: 'gatehouse' }

test('service principal: token endpoint and scope are those of the public cloud unless it names others', async () => {
  const principal = parseServicePrincipal(JSON.stringify(FIELDS))
  expect(principal?.tokenUri).toBe('https://login.microsoftonline.com/acme.example.com/oauth2/v2.0/token')
  expect(await principal?.form(0)).toEqual({
    grant_type: 'client_credentials',
    client_id: 'app',
    client_secret: 'p~w',
    scope: 'https://cognitiveservices.azure.com/.default',
  })
  const others = { token_uri: 'https://login.example.us/token', scope: 'https://cognitiveservices.azure.us/.default' }
  expect(parseServicePrincipal(JSON.stringify({ ...FIELDS, ...others }))).toMatchObject({
    tokenUri: others.token_uri,
    account: { scope: others.scope },
  })
})

test.each([
  ['a key of a resource', '0123456789abcdef0123456789abcdef'],
  ['no JSON', '{appId'],
  ['without a password', JSON.stringify({ ...FIELDS, password: undefined })],
  ['of a tenant that would change the path', JSON.stringify({ ...FIELDS, tenant: '../common' })],
  ['with a token endpoint that is no URL', JSON.stringify({ ...FIELDS, token_uri: 'token' })],
])('service principal: is not read from a text that is %s', (_, text) => expect(parseServicePrincipal(text)).toBeUndefined())
