import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { generateUserTokenKeys, signUserToken } from '../../src/tools/demo/user-tokens.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { startLoopback } from '../support/loopback.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'

test('policy: a version that is published while a request fetches its JWKS applies to the request', async () => {
  const governed = await startGoverned({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' })
  const keys = await generateUserTokenKeys()
  const { promise: published, resolve: answer } = Promise.withResolvers<void>()
  const { promise: waits, resolve: isAsked } = Promise.withResolvers<void>()
  const server = await startLoopback(async (_request, response) => {
    isAsked()
    await published
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [keys.publicJwk] }))
  })
  await governed.publish([])
  const settings = { jwks: { url: `${server.url}/keys` }, issuer: 'https://issuer.example', audience: null }
  expectSuccess(await governed.admin('PATCH', `/workspaces/${governed.demo.workspace.id}`, { json: { settings } }))
  const issuedAt = new Date()
  const expiresAt = new Date(issuedAt.getTime() + 600_000)
  const claims = { sub: 'mara', issuer: 'https://issuer.example', issuedAt, expiresAt }
  const userToken = await signUserToken(keys.privateJwk, claims)
  const pending = governed.chat('hello juniper-deny', { model: 'scripted' }, { userToken })
  await waits
  await governed.publish(MARKER_RULES)
  // The signal of the publication needs a turn of the event loop.
  await sleep(50)
  answer()
  expect((await pending).status).toBe(403)
  expect(governed.provider.calls).toEqual([])
  await governed.close()
  await server.close()
})
