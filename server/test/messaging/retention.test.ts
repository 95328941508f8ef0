import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { finishErasures } from '../../src/domains/messaging/retention/erase-user.ts'
import { fromId, newId } from '../../src/platform/lib/id.ts'
import type { Json } from '../admin/client.ts'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { dumpTables } from '../support/dump-tables.ts'
import { startMessagingServer } from '../support/messenger.ts'
import { runRecurringJob } from '../support/recurring-jobs.ts'
import { word } from '../support/scripted-provider.ts'
import { createMembers, type Member } from './client.ts'

const DAY = 24 * 3_600_000

const clock = adjustableClock()
const m = await startMessagingServer({}, { clock })
afterAll(() => m.server.close())

const runJob = (name: string) => runRecurringJob(m.server.context, name)
const upload = async (person: Member, text: string): Promise<string> => (await person.upload(text)).id
const exported = (person: Member, conversation: string, method = 'GET'): Promise<Response> =>
  fetch(`${m.server.base}/v1/conversations/${conversation}/export`, {
    method,
    headers: { authorization: `Bearer ${person.token}` },
  })
const lines = async (person: Member, conversation: string): Promise<Json[]> => {
  const response = await exported(person, conversation)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
  return (await response.text())
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

describe('export', () => {
  test('export: holds the conversation and all its messages, oldest first, as the API shows them [MSG-CONV-16]', async () => {
    const conversation = await m.direct()
    const attachment = await upload(m.ann, 'x')
    const texts = Array.from({ length: 230 }, (_, index) => `${index} ü`)
    await m.sayAll(conversation, texts)
    const last = await m.ben.create('/messages', { conversation_id: conversation, message: 'last' })
    await m.ann.create('/messages', { conversation_id: conversation, message: 'file', attachments: [attachment] })
    await m.ben.remove(`/messages/${last.id}`)
    const [first, ...messages] = await lines(m.ben, conversation)
    expect(first).toEqual(await m.ben.get(`/conversations/${conversation}`))
    expect(messages.map(({ message }) => message)).toEqual([...texts, 'file'])
    expect(messages.at(-1)).toEqual(await m.ben.get(`/messages/${messages.at(-1).id}`))
    expect((await exported(m.ben, conversation)).headers.get('content-disposition')).toBe(
      `attachment; filename="${conversation}.jsonl"`,
    )
    expect((await exported(m.ben, conversation, 'HEAD')).status).toBe(200)
  })

  test('export: has one line when the conversation is empty', async () => {
    const conversation = await m.direct()
    expect(await lines(m.ann, conversation)).toEqual([await m.ann.get(`/conversations/${conversation}`)])
  })

  test('export: holds no held message, and gets 404 when the user is not a member [MSG-CONV-16]', async () => {
    const conversation = await m.direct()
    const body = { conversation_id: conversation, message: `rowan-hold ${word()}` }
    await m.ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', body)
    expect(await lines(m.ben, conversation)).toHaveLength(1)
    for (const id of [conversation, newId('conv'), 'x'])
      await m.stan.expectError('NOT_FOUND', 'GET', `/conversations/${id}/export`)
  })
})

describe('retention', () => {
  test('retention: shorter one of conversation and Workspace applies [MSG-CONV-15]', async () => {
    const conversation = await m.direct()
    const path = `/conversations/${conversation}/retention`
    const retention = (days: number | null, effective: number | null) => ({
      object: 'retention',
      conversation_id: conversation,
      days,
      effective_days: effective,
    })
    expect(await m.ben.get(path)).toEqual(retention(null, null))
    expect(await m.ben.put(path, { days: 30 })).toEqual(retention(30, 30))
    await setRetention(10)
    expect(await m.ann.get(path)).toEqual(retention(30, 10))
    expect(await m.ann.put(path, { days: '' }, { as: 'form' })).toEqual(retention(null, 10))
    await setRetention(null)
    for (const days of [0, 1.5, 'x', 36_501]) await m.ann.expectError('VALIDATION_ERROR', 'PUT', path, { days })
    await m.ann.expectError('VALIDATION_ERROR', 'PUT', path, {})
    for (const method of ['GET', 'PUT']) {
      await m.stan.expectError('NOT_FOUND', method, path, method === 'PUT' ? { days: 1 } : undefined)
    }
  })

  test('retention: only the owner can set it when the conversation belongs to a group [MSG-CONV-15]', async () => {
    const { conversation } = await m.group(m.ann, m.ben)
    await m.ben.expectError('FORBIDDEN', 'PUT', `/conversations/${conversation}/retention`, { days: 1 })
    expect((await m.ann.put(`/conversations/${conversation}/retention`, { days: 1 })).days).toBe(1)
  })

  test('retention: only messages and files that are too old are deleted', async () => {
    const [short, long] = [await m.direct(), await m.direct()]
    await m.ann.put(`/conversations/${short}/retention`, { days: 2 })
    const attachment = await upload(m.ann, 'old')
    const secret = word()
    const [old] = [
      await m.ann.create('/messages', { conversation_id: short, message: secret, attachments: [attachment] }),
      await m.say(long, 'old'),
    ]
    await m.ann.put(`/conversations/${short}`, { pinned_message_id: old.id })
    clock.advance(3 * DAY)
    await m.say(short, 'young')
    await runJob('end message retention')
    expect([await m.texts(short), await m.texts(long)]).toEqual([['young'], ['old']])
    expect((await m.ben.get(`/conversations/${short}`)).pinned_message_id).toBeNull()
    await m.ann.expectError('NOT_FOUND', 'GET', `/attachments/${attachment}`)
    await setRetention(2)
    await runJob('end message retention')
    expect([await m.texts(short), await m.texts(long)]).toEqual([['young'], []])
    await setRetention(null)
    clock.advance(DAY)
    await runJob('remove old idempotency keys')
    await runJob('remove files')
    expect(await columnsWith(secret)).toEqual([])
  })

  test('retention: unsent upload is deleted after a day', async () => {
    const id = await upload(m.ann, 'forgotten')
    clock.advance(DAY - 60_000)
    await runJob('remove unsent uploads')
    await m.ann.get(`/attachments/${id}`)
    clock.advance(120_000)
    await runJob('remove unsent uploads')
    await m.ann.expectError('NOT_FOUND', 'GET', `/attachments/${id}`)
  })
})

const setRetention = async (days: number | null): Promise<void> => {
  const { data } = await m.operator.get('/workspaces')
  const [workspace] = data
  const settings = { message_retention_days: days }
  expect((await m.operator.patch(`/workspaces/${workspace.id}`, { settings })).settings.message_retention_days).toBe(days)
}

/** The columns of the database that contain a text. */
const columnsWith = async (text: string): Promise<string[]> =>
  (await dumpTables(m.server.context.database.pool))
    .filter((column) => column.text.includes(text))
    .map(({ table, column }) => `${table}.${column}`)

const filesOnDisk = (): number =>
  readdirSync(join(m.server.config.dataDir, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length

/** Writes `secret` as this user to direct conversations and groups, with files, reactions and a held message. */
async function fillConversations(dora: Member, secret: string) {
  const direct = await m.direct(m.ben, dora)
  const outgoing = await m.direct(dora, m.ben)
  const { group, conversation: inGroup } = await m.group(m.ann, m.ben, dora)
  const own = await m.group(dora, m.cleo)
  for (const conversation of [direct, outgoing, inGroup, own.conversation]) {
    const attachment = await upload(dora, secret)
    await dora.create('/messages', { conversation_id: conversation, message: secret, attachments: [attachment] })
  }
  await upload(dora, secret)
  const kept = await m.say(inGroup, 'kept', m.ben)
  const answer = await m.say(direct, 'answer', m.ben)
  for (const id of [kept.id, answer.id]) await dora.put(`/messages/${id}/reactions/heart`)
  await dora.put(`/messages/${kept.id}`, { reactions: { heart: [secret] } })
  await m.ben.put(`/messages/${kept.id}/reactions/heart`)
  await dora.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', {
    conversation_id: direct,
    message: `rowan-hold ${secret}`,
  })
  return { direct, outgoing, inGroup, group, own, kept }
}

describe('erased user', () => {
  test('erasure: content of the user is removed everywhere, and content of other users stays', async () => {
    await runJob('remove files')
    const { dora } = await createMembers(m.server, ['dora'])
    const secret = `canary${word()}`
    const files = filesOnDisk()
    await dora.put(`/contacts/${dora.id}`, { display_name: secret, phone_number: '+49 30 123' })
    const { direct, outgoing, inGroup, group, own, kept } = await fillConversations(dora, secret)

    await m.operator.remove(`/users/${dora.id}`)

    await dora.expectError('AUTH_INVALID_KEY', 'GET', '/contacts')
    expect((await m.operator.send('GET', `/users/${dora.id}`)).status).toBe(404)
    await m.ben.expectError('NOT_FOUND', 'GET', `/contacts/${dora.id}`)
    expect([await m.texts(inGroup, m.ben), await m.texts(direct, m.ben), await m.texts(outgoing, m.ben)]).toEqual([
      ['kept'],
      ['answer'],
      [],
    ])
    expect((await m.ben.get(`/messages/${kept.id}`)).reactions).toEqual([{ heart: [m.ben.id] }])
    expect((await m.ben.get(`/conversations/${direct}`)).contact_id).toMatch(/^erased-/)
    expect((await m.ann.get(`/groups/${group}`)).contacts.map((contact: Json) => contact.id ?? contact)).not.toContain(dora.id)
    expect((await m.cleo.get(`/groups/${own.group}`)).owner_id).toBe(m.cleo.id)
    expect((await m.operator.send('DELETE', `/users/${dora.id}`)).status).toBe(404)

    await runJob('remove files')
    expect(filesOnDisk()).toBe(files)
    expect(await columnsWith(secret)).toEqual([])
    const [record] = await m.operator.records()
    expect(record).toMatchObject({ change: { action: 'user.erase' } })
    // The event log keeps the receivers of events for seven days.
    clock.advance(61_000)
    expect(await finishErasures(m.server.context.db, clock.now())).toBe(1)
    expect(await finishErasures(m.server.context.db, clock.now())).toBe(0)
    const remaining = (await columnsWith(dora.id)).filter(
      (column) => !/^event_(log|outbox)\.(audience|object_id|payload)$/.test(column),
    )
    expect(remaining).toEqual([])
  })

  test('erasure: conversations with an assistant are removed', async () => {
    const { dora } = await createMembers(m.server, ['dora'])
    const [application] = (await m.operator.get('/applications')).data
    const assistant = await m.operator.create('/assistants', { username: word(), application_id: application.id })
    const conversation = await m.direct(dora, { ...dora, id: assistant.id })
    await m.operator.remove(`/users/${dora.id}`)
    const rows = m.server.context.db
      .selectFrom('conversation')
      .select('id')
      .where('id', '=', fromId('conv', conversation) ?? null)
    expect(await rows.execute()).toEqual([])
  })

  test('erasure: later content stays when a new user gets the same id within a minute', async () => {
    const { dora } = await createMembers(m.server, ['dora'])
    const conversation = await m.direct(dora)
    const old = await m.say(conversation, 'old', dora)
    await m.operator.remove(`/users/${dora.id}`)
    const { db } = m.server.context
    clock.advance(1_000)
    await m.operator.create('/users', { id: dora.id, username: dora.id })
    const { token } = await m.operator.create(`/users/${dora.id}/tokens`, {})
    const again = { ...dora, send: dora.send, token }
    const fresh = await m.ben.create('/conversations', { contact_id: dora.id })
    const said = await again.send('POST', '/messages', { conversation_id: fresh.id, message: 'new' }, { token })
    expect(said.status).toBe(201)
    clock.advance(61_000)
    await runJob('finish erasures of users')
    expect(await m.texts(fresh.id, m.ben)).toEqual(['new'])
    await m.ben.expectError('NOT_FOUND', 'GET', `/messages/${old.id}`)
    expect(await db.selectFrom('user_erasure').selectAll().execute()).toEqual([])
  })

  test('erasure: request gets 404 when the user does not exist in the Workspace', async () => {
    const other = await m.operator.workspace()
    for (const id of [newId('usr'), '%00']) expect((await m.operator.send('DELETE', `/users/${id}`)).status).toBe(404)
    expect((await m.operator.send('DELETE', `/users/${m.stan.id}`, undefined, { workspace: other })).status).toBe(404)
    await m.stan.get('/contacts')
  })
})
