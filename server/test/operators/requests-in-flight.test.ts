import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Admin, adminClient, type Json } from '../admin/client.ts'
import { postgresUrl } from '../support/database.ts'
import { type Browser, findOperator, signInOperator } from '../support/operators.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { word } from '../support/scripted-provider.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startSlowRequest } from '../support/slow-request.ts'

let server: TestServer
let admin: Admin
beforeAll(async () => {
  server = await startServer()
  admin = adminClient(server)
})
afterAll(() => server.close())

type Headers = Readonly<Record<string, string>>

const slow = (method: string, path: string, json: unknown, headers: Headers) =>
  startSlowRequest(method, `${server.base}/admin/v1${path}`, json, headers)

const asBrowser = ({ cookie, base }: Browser): Headers => ({ cookie, origin: base, 'sec-fetch-site': 'same-origin' })
const asToken = (token: string): Headers => ({ authorization: `Bearer ${token}` })

/** An owner with a token, and requests of both whose bodies have not arrived yet. */
async function startOwnerRequests() {
  const owner = await signInOperator(server, 'owner')
  const { id: tokenId, token } = (await owner.browser.post('/admin/v1/tokens', { name: 'in flight' })).body
  const emails: string[] = []
  const requests = (headers: Headers) => {
    const email = `${word()}-${word()}@example.com`
    emails.push(email)
    return Promise.all([
      slow('POST', '/operators', { email, name: 'Second owner', role: 'owner' }, headers),
      slow('POST', '/tokens', { name: 'late' }, headers),
      slow('POST', '/applications', { name: `${word()} ${word()}` }, headers),
      slow('POST', '/workspaces', { name: `${word()} ${word()}` }, headers),
    ])
  }
  const byBrowser = await requests(asBrowser(owner.browser))
  const byToken = await requests(asToken(token))
  // By then the server has read the headers, so only a check after the body can refuse.
  await sleep(300)
  return { ...owner, tokenId, byBrowser, byToken, emails }
}

const finish = (requests: readonly (() => Promise<number>)[]): Promise<number[]> => Promise.all(requests.map((end) => end()))

describe('a request whose body arrives after its operator lost the permission', () => {
  type Owner = Awaited<ReturnType<typeof startOwnerRequests>>
  test.each([
    ['was removed', 401, ({ id }: Owner) => admin.remove(`/operators/${id}`)],
    ['was demoted', 403, ({ id }: Owner) => admin.patch(`/operators/${id}`, { role: 'read_only' })],
    [
      'signed out and the token was revoked',
      401,
      async ({ browser, tokenId }: Owner) => {
        await admin.post(`/tokens/${tokenId}/revoke`)
        expect((await browser.post('/auth/sign-out')).status).toBe(200)
      },
    ],
  ])('requests in flight: no effect when the operator %s', async (_, byTokenStatus, end) => {
    const owner = await startOwnerRequests()
    await end(owner)
    expect(await finish(owner.byBrowser)).toEqual(owner.byBrowser.map(() => 401))
    expect(await finish(owner.byToken)).toEqual(owner.byToken.map(() => byTokenStatus))
    for (const email of owner.emails) expect(await findOperator(server, email)).toBeUndefined()
  })
})

const url = postgresUrl()

describe('concurrent requests of an operator who is demoted', () => testConcurrentRequests())

// On PostgreSQL, transactions run at the same time.
describe.skipIf(url === null)('concurrent requests of an operator who is demoted, on PostgreSQL', () => {
  const embedded = () => ({ server, admin })
  let before: ReturnType<typeof embedded>
  let drop: () => Promise<void>
  beforeAll(async () => {
    before = embedded()
    const database = await createOwnDatabase(url ?? '')
    drop = database.drop
    server = await startServer({ DATABASE_URL: database.url, GATEHOUSE_SECRET_KEY: 'x'.repeat(32) })
    admin = adminClient(server)
  })
  afterAll(async () => {
    await server.close()
    await drop()
    ;({ server, admin } = before)
  })
  testConcurrentRequests()
})

/** Demotes an owner who sends privileged requests without pause; returns the statuses of these requests. */
async function demoteWhileSending() {
  const { id, browser } = await signInOperator(server, 'owner')
  const statuses = new Set<number>()
  let isOver = false
  const repeat = async (send: () => Promise<{ status: number }>) => {
    while (!isOver) statuses.add((await send()).status)
  }
  const promoteSelf = () => browser.send('PATCH', `/admin/v1/operators/${id}`, { role: 'owner' })
  const invite = () =>
    browser.post('/admin/v1/operators', { email: `${word()}${word()}${word()}@example.com`, name: 'x', role: 'owner' })
  const senders = [promoteSelf, promoteSelf, invite, invite].map(repeat)
  await sleep(200)
  await admin.patch(`/operators/${id}`, { role: 'read_only' })
  await sleep(200)
  isOver = true
  await Promise.all(senders)
  return { id, statuses }
}

function testConcurrentRequests(): void {
  test('requests in flight: a demoted operator can neither restore the role nor keep an invitation', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, statuses } = await demoteWhileSending()
      expect(await findOperator(server, id)).toMatchObject({ role: 'read_only' })
      const { db } = server.context.database
      const invited = await db.selectFrom('operator').select('email').where('invited_by', '=', id).execute()
      expect(invited).toEqual([])
      expect([...statuses].filter((status) => ![200, 201, 401, 403].includes(status))).toEqual([])
    }
  })

  test('requests in flight: one owner stays when two delete each other at the same time', async () => {
    const [first, second] = [await signInOperator(server, 'owner'), await signInOperator(server, 'owner')]
    const responses = await Promise.all([
      first.browser.send('DELETE', `/admin/v1/operators/${second.id}`),
      second.browser.send('DELETE', `/admin/v1/operators/${first.id}`),
    ])
    const statuses = responses.map(({ status }) => status).toSorted()
    expect(statuses[0]).toBe(204)
    expect([401, 403]).toContain(statuses[1])
    const { data } = await admin.get('/operators?limit=100')
    expect(data.filter(({ id }: Json) => id === first.id || id === second.id)).toHaveLength(1)
  })

  test('requests in flight: operators can delete and demote themselves', async () => {
    const [deleted, demoted] = [await signInOperator(server, 'owner'), await signInOperator(server, 'owner')]
    expect((await deleted.browser.send('DELETE', `/admin/v1/operators/${deleted.id}`)).status).toBe(204)
    expect((await demoted.browser.send('PATCH', `/admin/v1/operators/${demoted.id}`, { role: 'reviewer' })).status).toBe(200)
    expect((await demoted.browser.session()).status).toBe(401)
  })

  test('requests in flight: four_eyes stays on when concurrent requests turn it off', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await admin.workspace()
      const setFourEyes = (four_eyes: boolean) =>
        admin.send('PATCH', `/workspaces/${id}`, { settings: { review: { four_eyes } } })
      const off = Array.from({ length: 4 }, () => setFourEyes(false))
      expect((await setFourEyes(true)).status).toBe(200)
      await Promise.all(off)
      expect((await admin.get(`/workspaces/${id}`)).settings.review).toEqual({
        four_eyes: true,
        target_minutes: null,
        reasons: [],
      })
    }
  })
}
