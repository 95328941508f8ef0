import OpenAI from 'openai'
import { describe, expect, inject, test } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { providerEnvironment, startGoverned } from '../support/governed.ts'
import { runRecurringJob } from '../support/recurring-jobs.ts'
import { body, envelope, failure, responsesClient } from '../support/responses-client.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { testFolder } from '../support/temporary-folder.ts'

/** Access to a stored response, and its retention. */
const clock = adjustableClock()
const MAX_MESSAGES = 6
const DAY = 86_400_000
const governed = await closeAfterAll(startGoverned({ GATEHOUSE_MAX_MESSAGES: String(MAX_MESSAGES) }, { clock }))
const sdk = await responsesClient(governed)
const client = sdk.client({ maxRetries: 0 })

const stored = (more: object = {}, from: OpenAI = client) => from.responses.create(body('hello', { store: true, ...more }))
const asUser = (id: string) => ({ headers: { 'x-gatehouse-user': encodeURIComponent(id) } })
const countRows = async (userId: string): Promise<number> => {
  const { rows } = await governed.server.context.database.pool.query('select id from stored_response where user_id = $1', [
    userId,
  ])
  return rows.length
}

interface Caller {
  readonly headers?: Record<string, string>
  readonly governance?: object
}

describe('owner', () => {
  const alice = () => governed.demo.users.find(({ id }) => id === 'alice')
  /** Fails unless reading, deleting and continuing fail as for an id that does not exist. */
  async function expectUnknown(id: string, from: OpenAI, { headers = {}, governance = {} }: Caller = {}) {
    const calls = [
      () => from.responses.retrieve(id, {}, { headers }),
      () => from.responses.delete(id, { headers }),
      () => from.responses.inputItems.list(id, {}, { headers }),
    ]
    for (const call of calls) {
      const error = await failure(call())
      expect(error).toMatchObject({ status: 404, code: 'NOT_FOUND' })
      expect(envelope(error).message).toBe('Response not found.')
    }
    const error = await failure(from.responses.create(body('go on', { previous_response_id: id, governance }), { headers }))
    expect(error).toMatchObject({ status: 400, param: 'previous_response_id' })
    expect(envelope(error).details).toEqual({ reason: 'previous_response_not_found' })
  }
  test('an asserted user: is named by a header or by the body [GW-RESP-19]', async () => {
    const id = 'Jörg Müller/7 %'
    const governance = { user: { id } }
    const response = await stored({ governance })
    expect((await client.responses.retrieve(response.id, {}, asUser(id))).id).toBe(response.id)
    expect((await stored({ governance, previous_response_id: response.id })).status).toBe('completed')
  })
  test('another user, and no user: cannot tell it from an unknown id [GW-RESP-19]', async () => {
    const { id } = await stored({ governance: { user: { id: 'ann' } } })
    await expectUnknown(id, client)
    await expectUnknown(id, client, { ...asUser('bob'), governance: { user: { id: 'bob' } } })
    const anonymous = await stored()
    await expectUnknown(anonymous.id, client, { ...asUser('ann'), governance: { user: { id: 'ann' } } })
  })
  test('a verified and an asserted user with the same id: are two owners [GW-RESP-19]', async () => {
    const demo = sdk.client({ apiKey: governed.key(), maxRetries: 0 })
    const verified = { headers: { 'x-gatehouse-user-token': alice()?.user_token ?? '' } }
    const response = await demo.responses.create(body('hello', { store: true }), verified)
    expect((await demo.responses.retrieve(response.id, {}, verified)).id).toBe(response.id)
    await expectUnknown(response.id, demo, { ...asUser('alice'), governance: { user: { id: 'alice' } } })
    const asserted = await stored({ governance: { user: { id: 'alice' } } }, demo)
    await expectUnknown(asserted.id, demo, verified)
  })
  test('another Application, and one of another Workspace: cannot tell it from an unknown id [GW-RESP-19]', async () => {
    const { id } = await stored()
    const { token } = await governed.application()
    await expectUnknown(id, sdk.client({ apiKey: token, maxRetries: 0 }))
    const workspace = expectSuccess(await governed.admin('POST', '/workspaces', { json: { name: 'Elsewhere' } }), 201)
    const headers = { 'x-gatehouse-workspace': workspace.id }
    const application = expectSuccess(await governed.admin('POST', '/applications', { headers, json: { name: 'other' } }), 201)
    const path = `/applications/${application.id}/keys`
    const { key } = expectSuccess(await governed.admin('POST', path, { headers, json: { name: 'test' } }), 201)
    await expectUnknown(id, sdk.client({ apiKey: String(key), maxRetries: 0 }))
    expect((await client.responses.retrieve(id)).id).toBe(id)
  })
  test.each([
    'resp_1',
    'resp_01h455vb4pex5vsknk084sn02q',
    'aud_01h455vb4pex5vsknk084sn02q',
    'resp_ZZZZZZZZZZZZZZZZZZZZZZZZZZ',
    "' or 1=1 --",
    '../audit',
    'résp_🦊',
    'x'.repeat(200),
  ])('the id %s: is unknown [GW-RESP-19]', (id) => expectUnknown(id, client))
  test('requests without a valid key, user or query: are refused [GW-RESP-19]', async () => {
    const { id } = await stored()
    const read = (path: string, headers: Record<string, string> = {}, token: string | null = sdk.token) =>
      governed.api('GET', `/v1/responses/${id}${path}`, { headers, token })
    expectError(await read('', {}, null), 'AUTH_INVALID_KEY')
    expectError(await read('', { 'x-gateway-user-token': 'none' }), 'AUTH_INVALID_USER_TOKEN')
    expect(expectError(await read('', { 'x-gatehouse-user': '%E0%A4%A' }), 'VALIDATION_ERROR').param).toBe('x-gatehouse-user')
    expect(expectError(await read('?stream=true'), 'VALIDATION_ERROR').param).toBe('stream')
    expect(expectError(await read('?other=1'), 'VALIDATION_ERROR').param).toBe('other')
    expect(expectSuccess(await read('?stream=false')).id).toBe(id)
  })
  test("rate limits: count the reads of an Application's stored responses [GW-RESP-19]", async () => {
    const { token } = await governed.application({ limits: { requests_per_minute: 1, burst: 1 } })
    const path = '/v1/responses/resp_01h455vb4pex5vsknk084sn02q'
    expectError(await governed.api('GET', path, { token }), 'NOT_FOUND')
    expectError(await governed.api('GET', path, { token }), 'RATE_LIMITED')
  })
})

describe('size', () => {
  test('a conversation above the limit of messages: 413 [GW-RESP-18]', async () => {
    let previous_response_id: string | undefined
    for (let turn = 0; turn < MAX_MESSAGES / 2; turn++) ({ id: previous_response_id } = await stored({ previous_response_id }))
    const error = await failure(stored({ previous_response_id }))
    expect(error).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
  })
})

describe('quota', () => {
  test('quota: storing is refused before the provider is asked when the responses of the Application have reached it [GW-RESP-17]', async () => {
    const { id: applicationId, token } = await governed.application({ settings: { responses: { max_megabytes: 1 } } })
    const own = sdk.client({ apiKey: token, maxRetries: 0 })
    const input = 'word '.repeat(60_000)
    // Requests that run at the same time get their responses, though together they exceed the quota.
    const [first] = await Promise.all(Array.from({ length: 4 }, () => stored({ input }, own)))
    const calls = governed.provider.calls.length
    const error = await failure(stored({ input: 'short' }, own))
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', param: 'store' })
    expect(error.message).toContain('settings.responses.max_megabytes')
    expect(governed.provider.calls.length).toBe(calls)
    expect(await own.responses.create(body('not stored'))).toMatchObject({ store: false })
    // Another Application has a quota of its own.
    expect(await stored({ input: 'other' })).toMatchObject({ store: true })
    await governed.change(applicationId, { settings: { responses: { max_megabytes: null } } })
    expect(await stored({ previous_response_id: first?.id }, own)).toMatchObject({ store: true })
  })
})

describe('end', () => {
  test('deletion: one of several at the same time succeeds, and the others get 404 [GW-RESP-19]', async () => {
    const { id } = await stored({})
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => client.responses.delete(id)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    expect(refused.every((error) => error instanceof OpenAI.NotFoundError)).toBe(true)
  })

  test('expiry: is effective at once, and a job removes the content [GW-RESP-21]', async () => {
    const { id: applicationId, token } = await governed.application({ settings: { responses: { retention_days: 2 } } })
    const own = sdk.client({ apiKey: token, maxRetries: 0 })
    const first = await stored({ governance: { user: { id: 'ida' } } }, own)
    clock.advance(DAY)
    const second = await stored({ governance: { user: { id: 'ida' } }, previous_response_id: first.id }, own)
    clock.advance(DAY)
    expect(await failure(own.responses.retrieve(first.id, {}, asUser('ida')))).toBeInstanceOf(OpenAI.NotFoundError)
    const more = { governance: { user: { id: 'ida' } }, previous_response_id: second.id }
    expect(await failure(stored(more, own))).toMatchObject({ status: 400, param: 'previous_response_id' })
    expect((await own.responses.retrieve(second.id, {}, asUser('ida'))).id).toBe(second.id)
    expect(await countRows('ida')).toBe(2)
    await runRecurringJob(governed.server.context, 'remove expired responses')
    expect(await countRows('ida')).toBe(1)
    // A shorter retention applies to what is stored already.
    await governed.change(applicationId, { settings: { responses: { retention_days: 1 } } })
    await runRecurringJob(governed.server.context, 'remove expired responses')
    expect(await countRows('ida')).toBe(0)
  })
  test('erasure of a user: erases the stored responses in all Applications, and of no other user [GW-RESP-21]', async () => {
    const { token } = await governed.application()
    const governance = { user: { id: 'vera' } }
    const first = await stored({ governance })
    await stored({ governance }, sdk.client({ apiKey: token }))
    const other = await stored({ governance: { user: { id: 'wanda' } } })
    const erased = expectSuccess(await governed.admin('DELETE', '/users/vera/memories'))
    expect(erased).toEqual({ object: 'memory_erasure', erased: 0, erased_responses: 2 })
    expect(await countRows('vera')).toBe(0)
    expect(await failure(client.responses.retrieve(first.id, {}, asUser('vera')))).toBeInstanceOf(OpenAI.NotFoundError)
    expect((await client.responses.retrieve(other.id, {}, asUser('wanda'))).id).toBe(other.id)
    expectSuccess(await governed.admin('POST', '/users', { json: { id: 'wanda', username: 'wanda' } }), 201)
    expectSuccess(await governed.admin('DELETE', '/users/wanda'), 204)
    expect(await countRows('wanda')).toBe(0)
  })
  test('restart: stored responses stay readable, and can be continued [GW-RESP-17]', async () => {
    const env = { ...providerEnvironment(governed.provider), GATEHOUSE_DATA: testFolder(inject('seededDataDir')) }
    const before = await startServer(env)
    const apiKey = before.demo.applications[0]?.api_key ?? ''
    const clientOf = ({ base }: TestServer) => sdk.client({ baseURL: `${base}/v1`, apiKey, maxRetries: 0 })
    const { id } = await stored({}, clientOf(before)).finally(() => before.close())
    const after = await startServer(env)
    const next = await stored({ previous_response_id: id }, clientOf(after)).finally(() => after.close())
    expect(next.previous_response_id).toBe(id)
  })
})
