import { afterAll, describe, expect, test } from 'vitest'
import { generateUserTokenKeys, signUserToken } from '../../src/tools/demo/user-tokens.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { startLoopback } from '../support/loopback.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const ISSUER = 'https://people.example'
let answer: { status: number; body: string }
let requestCount = 0
const server = await startLoopback((_request, response) => {
  requestCount++
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
})

type Keys = Awaited<ReturnType<typeof generateUserTokenKeys>>
const serve = (...keys: Keys[]) => {
  answer = { status: 200, body: JSON.stringify({ keys: keys.map(({ publicJwk }) => publicJwk) }) }
}
const sendRequest = async ({ privateJwk }: Keys, more: object = {}) => {
  const now = new Date()
  const claims = { sub: 'mara', issuer: ISSUER, issuedAt: now, expiresAt: new Date(now.getTime() + 600_000) }
  return governed.chat('Good morning', { ...more }, { userToken: await signUserToken(privateJwk, claims) })
}

/** Sets a new JWKS URL in the Workspace. */
async function trust(): Promise<void> {
  const { id } = governed.demo.workspace
  const url = `${server.url}/${crypto.randomUUID()}`
  const settings = { jwks: { url }, issuer: ISSUER, audience: null }
  expectSuccess(await governed.admin('PATCH', `/workspaces/${id}`, { json: { settings } }))
  requestCount = 0
}

const governed = await sharedGoverned()
afterAll(async () => {
  // The messaging API asks every Workspace of the worker's server for its keys.
  expectSuccess(
    await governed.admin('PATCH', `/workspaces/${governed.demo.workspace.id}`, { json: { settings: { jwks: null } } }),
  )
  await governed.close()
  await server.close()
})

/** domains/identity/remote-keys.test.ts tests expiry. */
describe('JWKS by URL [GW-AUTH-13]', () => {
  test.each([
    [500, '{"keys":[]}'],
    [200, ''],
    [200, 'nonsense'],
    [200, '{"keys":"x"}'],
    [200, '[]'],
    [302, '{"keys":[]}'],
  ])('JWKS: request gets 503 when the key server responds with %i %j', async (status, body) => {
    answer = { status, body }
    await trust()
    expectError(await sendRequest(await generateUserTokenKeys(), { governance: { user: { id: 'noor' } } }), 'UNAVAILABLE')
    expect(requestCount).toBe(1)
  })
  test('JWKS: keys are fetched once when many tokens arrive [GW-AUTH-11]', async () => {
    const keys = await generateUserTokenKeys()
    serve(keys)
    await trust()
    const responses = await Promise.all(Array.from({ length: 8 }, () => sendRequest(keys)))
    for (const one of responses) expect(expectSuccess(one).governance.user_verified).toBe(true)
    expectSuccess(await sendRequest(keys))
    expect(requestCount).toBe(1)
  })
  test('JWKS: keys are not fetched again within 30 s when tokens name an unknown key [GW-AUTH-11]', async () => {
    const [known, stranger] = [await generateUserTokenKeys(), await generateUserTokenKeys()]
    serve(known)
    await trust()
    expectSuccess(await sendRequest(known))
    serve(known, stranger)
    for (let i = 0; i < 5; i++) expectError(await sendRequest(stranger), 'AUTH_INVALID_USER_TOKEN')
    expect(requestCount).toBe(1)
    expectSuccess(await sendRequest(known))
  })
})
