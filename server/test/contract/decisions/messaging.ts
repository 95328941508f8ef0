import { describe, expect, test } from 'vitest'
import { type Person, people } from '../../messaging/client.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, FORMS, messenger, unknown } from '../messaging-api/shared-messenger.ts'

const ids = (listed: { readonly data: readonly { readonly id: string }[] }) => listed.data.map(({ id }) => id)
const DAY = 24 * 3_600_000

describe('decisions.md §3, Timestamps and Order', () => {
  test('timestamps are whole seconds, and milliseconds inside', async () => {
    const id = await messenger.direct()
    const { created_at } = await messenger.say(id)
    expect(Number.isInteger(created_at) && Math.abs(created_at - clock.now().getTime() / 1_000) < 5).toBe(true)
    const { rows } = await messenger.server.context.database.pool.query(
      "select count(*)::int as n from message where created_at <> date_trunc('second', created_at)",
    )
    expect(rows[0].n).toBeGreaterThan(0)
  })
  test('messages: newest first, by the conversation’s sequence, many within one second too', async () => {
    const id = await messenger.direct()
    const texts = Array.from({ length: 12 }, (_, index) => `${index}`)
    await messenger.sayAll(id, texts)
    expect(await messenger.texts(id)).toEqual(texts)
  })
  test('conversations: last_active_at, else created_at, newest first', async () => {
    const made = [await messenger.direct(), await messenger.direct(), await messenger.direct()]
    const top = async (person: Person) => ids(await person.get('/conversations?limit=3'))
    expect(await top(messenger.ann)).toEqual(made.toReversed())
    await messenger.say(made[0] ?? '')
    expect(await top(messenger.ann)).toEqual([made[0], made[2], made[1]])
    expect(await top(messenger.ben)).toEqual([made[0], made[2], made[1]])
    await messenger.say(made[1] ?? '', 'x', messenger.ben)
    expect(await top(messenger.ann)).toEqual([made[1], made[0], made[2]])
  })
  test('pinning, muting, reading and reacting move no conversation', async () => {
    const [older, newer] = [await messenger.direct(), await messenger.direct()]
    const message = await messenger.say(older)
    await messenger.say(newer)
    await messenger.ann.put(`/conversations/${older}`, { is_pinned: true, is_muted: true, pinned_message_id: message.id })
    await messenger.ben.post(`/conversations/${older}/read`, {})
    await messenger.ben.put(`/messages/${message.id}/reactions/heart`)
    await messenger.ann.put(`/messages/${message.id}`, { message: 'edited' })
    expect(ids(await messenger.ann.get('/conversations?limit=2'))).toEqual([newer, older])
  })
})

describe('decisions.md §3, Per member or shared', () => {
  test('is_pinned, is_muted, archived_at and last_opened_at are the caller’s own', async () => {
    const id = await messenger.direct()
    await messenger.ann.put(`/conversations/${id}`, { is_pinned: true, is_muted: true, archived_at: 5 })
    await messenger.ann.post(`/conversations/${id}/read`, {})
    const theirs = await messenger.ben.get(`/conversations/${id}`)
    expect(theirs).toMatchObject({ is_pinned: false, is_muted: false, archived_at: null, last_opened_at: null })
    await messenger.ben.put(`/conversations/${id}`, { is_muted: false })
    const own = await messenger.ann.get(`/conversations/${id}`)
    expect(own).toMatchObject({ is_pinned: true, is_muted: true, archived_at: 5, last_opened_at: expect.any(Number) })
  })
  test('pinned_message_id and last_active_at are the conversation’s; contact_id is the other side', async () => {
    const id = await messenger.direct()
    const message = await messenger.say(id)
    await messenger.ben.put(`/conversations/${id}`, { pinned_message_id: message.id })
    const [mine, theirs] = [await messenger.ann.get(`/conversations/${id}`), await messenger.ben.get(`/conversations/${id}`)]
    expect([mine.pinned_message_id, theirs.pinned_message_id]).toEqual([message.id, message.id])
    expect(mine.last_active_at).toBe(theirs.last_active_at)
    expect([mine.contact_id, theirs.contact_id]).toEqual([messenger.ben.id, messenger.ann.id])
  })
})

describe('decisions.md §3, Create', () => {
  test('each create makes a new conversation; distinct returns the existing one, from either side', async () => {
    const { one, two } = await people(messenger.server, ['one', 'two'])
    const first = await one.create('/conversations', { contact_id: two.id, distinct: true })
    expect(await one.post('/conversations', { contact_id: two.id, distinct: true })).toEqual(first)
    expect((await two.post('/conversations', { contact_id: one.id, distinct: true })).id).toBe(first.id)
    expect(await messenger.direct(one, two)).not.toBe(first.id)
    expect((await one.get('/conversations')).data).toHaveLength(2)
  })
  test('distinct from both sides at once makes one', async () => {
    const { one, two } = await people(messenger.server, ['one', 'two'])
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2
          ? one.send('POST', '/conversations', { contact_id: two.id, distinct: true })
          : two.send('POST', '/conversations', { contact_id: one.id, distinct: true }),
      ),
    )
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1)
    expect((await one.get('/conversations')).data).toHaveLength(1)
  })
  test('distinct of a group, too', async () => {
    const { group, conversation } = await messenger.group(messenger.ann, messenger.ben)
    expect((await messenger.ben.post('/conversations', { group_id: group, distinct: true })).id).toBe(conversation)
  })
  test('a group of another, and a contact of another Workspace: 404', async () => {
    const { far } = await people(messenger.server, ['far'], await messenger.operator.workspace())
    await messenger.ann.refused('NOT_FOUND', 'POST', '/conversations', { contact_id: far.id })
    const { group } = await messenger.group(messenger.ann)
    await far.refused('NOT_FOUND', 'POST', '/conversations', { group_id: group })
  })
})

describe('decisions.md §3, Contacts and last_active_at', () => {
  test('a contact who was never active has its created_at; sending makes it active', async () => {
    const { quiet } = await people(messenger.server, ['quiet'])
    const before = await messenger.ann.get(`/contacts/${quiet.id}`)
    expect(before.last_active_at).toBe(before.created_at)
    clock.advance(120_000)
    const sent = await messenger.say(await messenger.direct(quiet, messenger.ann), 'x', quiet)
    expect((await messenger.ann.get(`/contacts/${quiet.id}`)).last_active_at).toBeGreaterThanOrEqual(sent.created_at)
    expect(sent.contact.last_active_at).toBeGreaterThan(before.created_at)
  })
  test('last_active_at of a conversation is set by every stored message, and by nothing that is not stored', async () => {
    const id = await messenger.direct()
    await messenger.ann.send('POST', '/messages', { conversation_id: id, message: 'rowan-deny' })
    await messenger.ann.send('POST', '/messages', { conversation_id: id, message: 'rowan-hold' })
    expect((await messenger.ann.get(`/conversations/${id}`)).last_active_at).toBeNull()
    const first = await messenger.say(id)
    clock.advance(3_000)
    const second = await messenger.say(id, 'x', messenger.ben)
    expect(second.created_at).toBeGreaterThan(first.created_at)
    expect((await messenger.ann.get(`/conversations/${id}`)).last_active_at).toBe(second.created_at)
  })
})

describe('decisions.md §3, read_at and last_opened_at', () => {
  test('direct: read_at when the other side’s marker passed; GET never marks; unread_count is derived', async () => {
    const id = await messenger.direct()
    const [first, second, third] = await messenger.sayAll(id, ['1', '2', '3'])
    const state = async () => {
      const readAt = async ({ id: message }: { id: string }) => (await messenger.ann.get(`/messages/${message}`)).read_at
      const { unread_count, last_opened_at } = await messenger.ben.get(`/conversations/${id}`)
      return {
        read: (await Promise.all([first, second, third].map(readAt))).map((at) => at !== null),
        unread_count,
        last_opened_at,
      }
    }
    await messenger.ben.get(`/messages?conversation_id=${id}`)
    await messenger.ben.get(`/messages/${third.id}`)
    expect(await state()).toEqual({ read: [false, false, false], unread_count: 3, last_opened_at: null })
    const read = await messenger.ben.post(`/conversations/${id}/read`, { message_id: second.id })
    expect(read).toMatchObject({ id, unread_count: 1, last_opened_at: expect.any(Number) })
    expect(await state()).toMatchObject({ read: [true, true, false], unread_count: 1 })
    // Never back.
    await messenger.ben.post(`/conversations/${id}/read`, { message_id: first.id })
    expect(await state()).toMatchObject({ read: [true, true, false], unread_count: 1 })
    await messenger.ben.post(`/conversations/${id}/read`)
    expect(await state()).toMatchObject({ read: [true, true, true], unread_count: 0 })
  })
  test('direct: one’s own marker reads the other side’s messages, and both sides see it', async () => {
    const id = await messenger.direct()
    const theirs = await messenger.say(id, 'x', messenger.ben)
    const own = await messenger.say(id)
    await messenger.ann.post(`/conversations/${id}/read`, {})
    for (const person of [messenger.ann, messenger.ben]) {
      expect((await person.get(`/messages/${theirs.id}`)).read_at).toEqual(expect.any(Number))
      expect((await person.get(`/messages/${own.id}`)).read_at).toBeNull()
    }
  })
  test('read_at stays what it was when it is read again', async () => {
    const id = await messenger.direct()
    const { id: message } = await messenger.say(id)
    await messenger.ben.post(`/conversations/${id}/read`, {})
    const { read_at } = await messenger.ann.get(`/messages/${message}`)
    clock.advance(5_000)
    const { last_opened_at } = await messenger.ben.post(`/conversations/${id}/read`, {})
    expect((await messenger.ann.get(`/messages/${message}`)).read_at).toBe(read_at)
    expect(last_opened_at).toBeGreaterThan(read_at)
  })
  test('group: when the last other member’s marker passed', async () => {
    const { conversation } = await messenger.group(messenger.ann, messenger.ben, messenger.cleo)
    const { id } = await messenger.say(conversation)
    const readAt = async () => (await messenger.ann.get(`/messages/${id}`)).read_at
    await messenger.ann.post(`/conversations/${conversation}/read`, {})
    await messenger.ben.post(`/conversations/${conversation}/read`, {})
    expect(await readAt()).toBeNull()
    await messenger.cleo.post(`/conversations/${conversation}/read`, {})
    expect(await readAt()).toEqual(expect.any(Number))
  })
  test('unread_count: own messages do not count, deleted ones no longer', async () => {
    const id = await messenger.direct()
    const [first] = await messenger.sayAll(id, ['1', '2'])
    await messenger.say(id, '3', messenger.ben)
    const unread = async (person: Person) => (await person.get(`/conversations/${id}`)).unread_count
    expect([await unread(messenger.ann), await unread(messenger.ben)]).toEqual([1, 2])
    await messenger.ann.remove(`/messages/${first.id}`)
    expect(await unread(messenger.ben)).toBe(1)
    expect(
      (await messenger.ben.get('/conversations?limit=100')).data.find((one: { id: string }) => one.id === id).unread_count,
    ).toBe(1)
  })
  test.each(FORMS)('a marker at a message of another conversation, or at none: 400 (%s)', async (as) => {
    const id = await messenger.direct()
    await messenger.say(id)
    const foreign = await messenger.say(await messenger.direct())
    for (const message_id of [foreign.id, unknown('msg'), 'nothing']) {
      const fields = { message_id }
      const error = await messenger.ben.refused('VALIDATION_ERROR', 'POST', `/conversations/${id}/read`, fields, { as })
      expect(error.param).toBe('message_id')
    }
    expect(await messenger.ben.get(`/conversations/${id}`)).toMatchObject({ unread_count: 1, last_opened_at: null })
  })
})

describe('decisions.md §3, Reactions', () => {
  const message = async () => (await messenger.say(await messenger.direct())).id
  const shown = async (id: string) => (await messenger.ann.get(`/messages/${id}`)).reactions

  test('PUT replaces what the caller gave, deduplicated; what others gave stays whatever is sent', async () => {
    const id = await message()
    await messenger.ben.put(`/messages/${id}`, { reactions: { heart: ['from ben', 'from ben'] } })
    await messenger.ann.put(`/messages/${id}`, { reactions: { star: ['a'], heart: ['from ann'] } })
    expect(await shown(id)).toEqual([{ heart: ['from ben', 'from ann'] }, { star: ['a'] }])
    await messenger.ann.put(`/messages/${id}`, { reactions: { moon: ['b'] } })
    expect(await shown(id)).toEqual([{ heart: ['from ben'] }, { moon: ['b'] }])
    await messenger.ann.put(`/messages/${id}`, { reactions: {} })
    expect(await shown(id)).toEqual([{ heart: ['from ben'] }])
  })
  test('sending back what is shown, with one’s own added, loses and doubles nothing', async () => {
    const id = await message()
    await messenger.ben.put(`/messages/${id}/reactions/heart`)
    const [first] = await shown(id)
    await messenger.ann.put(`/messages/${id}`, { reactions: [{ heart: [...first.heart, messenger.ann.id] }] })
    expect(await shown(id)).toEqual([{ heart: [messenger.ben.id, messenger.ann.id] }])
    await messenger.ann.put(`/messages/${id}`, { reactions: await shown(id) })
    expect(await shown(id)).toEqual([{ heart: [messenger.ben.id, messenger.ann.id] }])
  })
  test('giving in another member’s name is 403, and changes nothing', async () => {
    const id = await message()
    await messenger.ann.put(`/messages/${id}`, { reactions: { heart: ['mine'] } })
    const reactions = { heart: [messenger.ben.id] }
    await messenger.ann.refused('FORBIDDEN', 'PUT', `/messages/${id}`, { reactions })
    expect(await shown(id)).toEqual([{ heart: ['mine'] }])
  })
  test('PUT and DELETE …/reactions/:name for the caller alone; twice is once', async () => {
    const id = await message()
    for (const person of [messenger.ann, messenger.ann, messenger.ben]) await person.put(`/messages/${id}/reactions/heart`)
    expect(await shown(id)).toEqual([{ heart: [messenger.ann.id, messenger.ben.id] }])
    await messenger.ann.remove(`/messages/${id}/reactions/heart`)
    expect(await shown(id)).toEqual([{ heart: [messenger.ben.id] }])
    await messenger.ann.refused('NOT_FOUND', 'DELETE', `/messages/${id}/reactions/heart`)
    expect(await shown(id)).toEqual([{ heart: [messenger.ben.id] }])
  })
  test('a reaction by name is no edit: updated_at stays', async () => {
    const id = await message()
    expect((await messenger.ben.put(`/messages/${id}/reactions/heart`)).updated_at).toBeNull()
  })
  test('names as they are written: emoji, spaces, percent signs', async () => {
    const id = await message()
    for (const name of ['🦊', 'two words', '100%', 'a/b']) {
      await messenger.ben.put(`/messages/${id}/reactions/${encodeURIComponent(name)}`)
    }
    expect((await shown(id)).flatMap(Object.keys)).toEqual(['🦊', 'two words', '100%', 'a/b'])
  })
  test('20 names at most, whoever gave them: one more is 400 and changes nothing', async () => {
    const id = await message()
    const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`name ${index}`, ['x']]))
    await messenger.ann.refused('VALIDATION_ERROR', 'PUT', `/messages/${id}`, { reactions: many(21) })
    await messenger.ann.put(`/messages/${id}`, { reactions: many(20) })
    await messenger.ben.refused('VALIDATION_ERROR', 'PUT', `/messages/${id}/reactions/another`)
    await messenger.ben.refused('VALIDATION_ERROR', 'PUT', `/messages/${id}`, { reactions: { another: ['x'] } })
    await messenger.ben.put(`/messages/${id}/reactions/${encodeURIComponent('name 3')}`)
    expect(await shown(id)).toHaveLength(20)
  })
})

describe('decisions.md §3, Who may', () => {
  test('text and attachments: the sender (403 else); reactions: any member', async () => {
    const { id } = await messenger.say(await messenger.direct())
    for (const fields of [{ message: 'x' }, { attachments: [] }, { message: 'x', reactions: { heart: ['y'] } }]) {
      await messenger.ben.refused('FORBIDDEN', 'PUT', `/messages/${id}`, fields)
    }
    const reacted = await messenger.ben.put(`/messages/${id}`, { reactions: { heart: ['y'] } })
    expect(reacted.reactions).toEqual([{ heart: ['y'] }])
  })
  test('delete a message: its sender, in a direct conversation nobody else', async () => {
    const { id } = await messenger.say(await messenger.direct())
    await messenger.ben.refused('FORBIDDEN', 'DELETE', `/messages/${id}`)
    await messenger.ann.remove(`/messages/${id}`)
  })
  test('delete a message in a group: its sender or the group’s owner', async () => {
    const { conversation } = await messenger.group(messenger.ann, messenger.ben, messenger.cleo)
    const [one, two] = await messenger.sayAll(conversation, ['1', '2'], messenger.ben)
    await messenger.cleo.refused('FORBIDDEN', 'DELETE', `/messages/${one.id}`)
    await messenger.ann.remove(`/messages/${one.id}`)
    await messenger.ben.remove(`/messages/${two.id}`)
  })
  test('delete a conversation: a direct one either side, a group’s its owner', async () => {
    await messenger.ben.remove(`/conversations/${await messenger.direct()}`)
    const { conversation } = await messenger.group(messenger.ann, messenger.ben)
    await messenger.ben.refused('FORBIDDEN', 'DELETE', `/conversations/${conversation}`)
    await messenger.ann.remove(`/conversations/${conversation}`)
    await messenger.ben.refused('NOT_FOUND', 'GET', `/conversations/${conversation}`)
  })
  test('who has left a group is no member any more; who has joined is one', async () => {
    const { group, conversation } = await messenger.group(messenger.ann, messenger.ben)
    const { id } = await messenger.say(conversation, 'before', messenger.ben)
    await messenger.ann.post(`/groups/${group}/contacts`, { contact_id: messenger.cleo.id })
    expect(await messenger.texts(conversation, messenger.cleo)).toEqual(['before'])
    expect((await messenger.cleo.get(`/conversations/${conversation}`)).unread_count).toBe(0)
    await messenger.ben.remove(`/groups/${group}/contacts/${messenger.ben.id}`)
    const gone = [
      ['GET', `/conversations/${conversation}`, undefined],
      ['GET', `/messages/${id}`, undefined],
      ['PUT', `/messages/${id}`, { message: 'after' }],
      ['DELETE', `/messages/${id}`, undefined],
      ['POST', '/messages', { conversation_id: conversation, message: 'x' }],
    ] as const
    for (const [method, path, fields] of gone) await messenger.ben.refused('NOT_FOUND', method, path, fields)
  })
})

describe('decisions.md §3, Delete', () => {
  test('is permanent: no text of it is left in the database, the audit keeps hashes only', async () => {
    const id = await messenger.direct()
    const [secret, other] = [word(), word()]
    const { id: message } = await messenger.say(id, `first ${secret}`)
    await messenger.ann.put(`/messages/${message}`, { message: `second ${secret}`, reactions: { [`r-${secret}`]: [secret] } })
    await messenger.say(id, `third ${other}`)
    await messenger.server.context.relay.run()
    await messenger.ann.remove(`/messages/${message}`)
    await messenger.server.context.relay.run()
    expect(await tablesWith(secret)).toEqual([])
    expect(await tablesWith(other)).toContain('message')
    await messenger.ann.remove(`/conversations/${id}`)
    await messenger.server.context.relay.run()
    expect(await tablesWith(other)).toEqual([])
  })
})

/** Names of the tables that hold the text. */
async function tablesWith(text: string): Promise<string[]> {
  const { pool } = messenger.server.context.database
  const { rows } = await pool.query<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public'")
  const found: string[] = []
  for (const { name } of rows) {
    const { rows: hits } = await pool.query(`select 1 from "${name}" t where position($1 in row_to_json(t)::text) > 0 limit 1`, [
      text,
    ])
    if (hits.length > 0) found.push(name)
  }
  return found
}

describe('decisions.md §3, Idempotency', () => {
  const keyed = (key = word(), as: 'json' | 'form' = 'json') => ({ as, headers: { 'idempotency-key': key } })

  test.each(FORMS)('a replay gives the original status and body, byte for byte, and does nothing again (%s)', async (as) => {
    const id = await messenger.direct()
    const sending = keyed(word(), as)
    const fields = { conversation_id: id, message: 'once' }
    const first = await messenger.ann.send('POST', '/messages', fields, sending)
    await messenger.ann.put(`/messages/${first.body.id}`, { message: 'edited since' })
    const again = await messenger.ann.send('POST', '/messages', fields, sending)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(await messenger.texts(id)).toEqual(['edited since'])
  })
  test('a form repeats what JSON said: it is the same request', async () => {
    const id = await messenger.direct()
    const [json, form] = [keyed('either-form', 'json'), keyed('either-form', 'form')]
    const fields = { conversation_id: id, message: 'once' }
    const first = await messenger.ann.send('POST', '/messages', fields, json)
    expect((await messenger.ann.send('POST', '/messages', fields, form)).text).toBe(first.text)
  })
  test('the same key with another body, path or method: 409 CONFLICT, and nothing happens', async () => {
    const id = await messenger.direct()
    const sending = keyed()
    const { id: message } = await messenger.ann.create('/messages', { conversation_id: id, message: 'once' }, sending)
    for (const [method, path, fields] of [
      ['POST', '/messages', { conversation_id: id, message: 'other' }],
      ['POST', '/conversations', { contact_id: messenger.ben.id }],
      ['PUT', `/messages/${message}`, { message: 'other' }],
      ['PUT', `/conversations/${id}`, { is_muted: true }],
    ] as const) {
      await messenger.ann.refused('CONFLICT', method, path, fields, sending)
    }
    expect(await messenger.texts(id)).toEqual(['once'])
  })
  test('is each user’s own', async () => {
    const id = await messenger.direct()
    const sending = keyed()
    const fields = { conversation_id: id, message: 'each' }
    for (const person of [messenger.ann, messenger.ben]) await person.create('/messages', fields, sending)
    expect(await messenger.texts(id)).toEqual(['each', 'each'])
  })
  test('ten at once with one key: one message, one answer', async () => {
    const id = await messenger.direct()
    const sending = keyed()
    const fields = { conversation_id: id, message: 'at once' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => messenger.ann.send('POST', '/messages', fields, sending)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(await messenger.texts(id)).toEqual(['at once'])
  })
  test('on PUT, and on every POST', async () => {
    const id = await messenger.direct()
    const { id: message } = await messenger.say(id)
    for (const [method, path, fields] of [
      ['POST', '/conversations', { contact_id: messenger.ben.id }],
      ['PUT', `/conversations/${id}`, { is_muted: true }],
      ['POST', `/conversations/${id}/read`, {}],
      ['PUT', `/messages/${message}`, { reactions: { heart: ['x'] } }],
      ['PUT', `/messages/${message}/reactions/star`, undefined],
      ['POST', '/groups', { name: 'Once' }],
      ['PUT', `/contacts/${messenger.ann.id}`, { phone_number: '+49 1' }],
    ] as const) {
      const sending = keyed()
      const first = await messenger.ann.send(method, path, fields, sending)
      expect(first.status, first.text).toBeLessThan(300)
      clock.advance(1_500)
      const again = await messenger.ann.send(method, path, fields, sending)
      expect([again.status, again.text], path).toEqual([first.status, first.text])
    }
  })
  test('a refusal that is thrown keeps no key: the same request may succeed later', async () => {
    const sending = keyed()
    const { group } = await messenger.group(messenger.ann)
    await messenger.ben.refused('NOT_FOUND', 'POST', '/conversations', { group_id: group }, sending)
    await messenger.ann.post(`/groups/${group}/contacts`, { contact_id: messenger.ben.id })
    await messenger.ben.create('/conversations', { group_id: group }, sending)
  })
  test('1 to 255 characters, else 400', async () => {
    const id = await messenger.direct()
    for (const length of [1, 255]) {
      await messenger.ann.create('/messages', { conversation_id: id, message: 'x' }, keyed('k'.repeat(length)))
    }
    for (const key of ['', 'k'.repeat(256)]) {
      await messenger.ann.refused('VALIDATION_ERROR', 'POST', '/messages', { conversation_id: id, message: 'x' }, keyed(key))
    }
    expect(await messenger.texts(id)).toHaveLength(2)
  })
  test('counts for 24 h', async () => {
    const id = await messenger.direct()
    const sending = keyed()
    const fields = { conversation_id: id, message: 'daily' }
    const first = await messenger.ann.send('POST', '/messages', fields, sending)
    clock.advance(DAY - 60_000)
    expect((await messenger.ann.send('POST', '/messages', fields, sending)).text).toBe(first.text)
    clock.advance(120_000)
    expect((await messenger.ann.create('/messages', fields, sending)).id).not.toBe(first.body.id)
  })
})

describe('decisions.md §3, Ordering and loss', () => {
  test('concurrent senders leave no gap and no duplicate, and everybody reads one order', async () => {
    const { conversation } = await messenger.group(messenger.ann, messenger.ben, messenger.cleo)
    const senders = [messenger.ann, messenger.ben, messenger.cleo]
    const sent = await Promise.all(
      senders.map(async (person, which) => {
        const texts = Array.from({ length: 15 }, (_, index) => `${which}:${index}`)
        await messenger.sayAll(conversation, texts, person)
        return texts
      }),
    )
    const read = await messenger.texts(conversation)
    expect(read.toSorted()).toEqual(sent.flat().toSorted())
    // What one sent in turn is read in turn.
    for (const [which, texts] of sent.entries()) expect(read.filter((text) => text.startsWith(`${which}:`))).toEqual(texts)
    for (const person of senders) expect(await messenger.texts(conversation, person)).toEqual(read)
    const { rows } = await messenger.server.context.database.pool.query(
      'select sequence::int as place from message m where text = any($1) order by sequence',
      [read],
    )
    expect(rows.map(({ place }) => place)).toEqual(read.map((_, index) => index + 1))
  })
})
