import { describe, expect, test } from 'vitest'
import { clock, FORMS, messenger, unknown } from './shared-messenger.ts'

const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000)

describe.each(FORMS)('conversation (%s)', (as) => {
  const sending = { as }

  test('create with contact_id: every field, active, not archived, not pinned, not muted [MSG-CONV-1, MSG-CONV-5]', async () => {
    const before = nowSeconds()
    const created = await messenger.ann.create('/conversations', { contact_id: messenger.ben.id }, sending)
    expect(created).toEqual({
      id: expect.stringMatching(/^conv_[0-9a-z]{26}$/),
      object: 'conversation',
      contact_id: messenger.ben.id,
      group_id: null,
      pinned_message_id: null,
      is_pinned: false,
      is_muted: false,
      last_active_at: null,
      last_opened_at: null,
      created_at: expect.any(Number),
      archived_at: null,
      unread_count: 0,
    })
    expect(Number.isInteger(created.created_at)).toBe(true)
    expect(created.created_at).toBeGreaterThanOrEqual(before)
    expect(created.created_at).toBeLessThanOrEqual(nowSeconds())
    expect(await messenger.ann.get(`/conversations/${created.id}`)).toEqual(created)
  })
  test('create with group_id [MSG-CONV-3]', async () => {
    const { id } = await messenger.ann.create('/groups', { name: 'Crew', contacts: [messenger.ben.id] }, sending)
    const created = await messenger.ben.create('/conversations', { group_id: id }, sending)
    expect(created).toMatchObject({ group_id: id, contact_id: null, last_active_at: null })
    expect((await messenger.ann.get(`/conversations/${created.id}`)).group_id).toBe(id)
  })
  test('create: one of contact_id and group_id must be given, and only one [MSG-CONV-3]', async () => {
    const { group } = await messenger.group(messenger.ann)
    const both = { contact_id: messenger.ben.id, group_id: group }
    for (const fields of [{}, both, { contact_id: null }, { contact_id: '' }, { contact_id: null, group_id: null }]) {
      await messenger.ann.expectError('VALIDATION_ERROR', 'POST', '/conversations', fields, sending)
    }
    const nothingElse = { contact_id: messenger.ben.id, group_id: null }
    expect((await messenger.ann.create('/conversations', nothingElse, sending)).contact_id).toBe(messenger.ben.id)
  })
  test('create: 404 when contact or group do not exist or the caller is not a member [MSG-CONV-3]', async () => {
    const { group } = await messenger.group(messenger.ann, messenger.ben)
    for (const contact_id of ['unknown', unknown('usr'), group, '🦊', 'a%00b'.repeat(10)]) {
      await messenger.ann.expectError('NOT_FOUND', 'POST', '/conversations', { contact_id }, sending)
    }
    for (const group_id of [unknown('grp'), 'nothing', messenger.ben.id]) {
      await messenger.ann.expectError('NOT_FOUND', 'POST', '/conversations', { group_id }, sending)
    }
    await messenger.stan.expectError('NOT_FOUND', 'POST', '/conversations', { group_id: group }, sending)
  })
  test.each(['is_pinned', 'is_muted'])('update with %s: true or false [MSG-CONV-7]', async (field) => {
    const id = await messenger.direct()
    for (const value of [true, false, 1, 0, 'true', 'false', '1', '0', 'TRUE', 'off']) {
      const changed = await messenger.ann.put(`/conversations/${id}`, { [field]: value }, sending)
      expect(changed[field], String(value)).toBe([true, 1, 'true', '1', 'TRUE'].includes(value))
      expect(await messenger.ann.get(`/conversations/${id}`)).toEqual(changed)
    }
    await messenger.ann.put(`/conversations/${id}`, { [field]: true })
    for (const value of ['maybe', 2, '', [true], { yes: true }]) {
      await messenger.ann.expectError('VALIDATION_ERROR', 'PUT', `/conversations/${id}`, { [field]: value }, sending)
    }
    expect((await messenger.ann.get(`/conversations/${id}`))[field]).toBe(true)
  })
  test('update with pinned_message_id: pins a message; null or empty removes the pin [MSG-CONV-9]', async () => {
    const id = await messenger.direct()
    const message = await messenger.say(id)
    for (const nothing of [null, '']) {
      const pinned = await messenger.ann.put(`/conversations/${id}`, { pinned_message_id: message.id }, sending)
      expect(pinned.pinned_message_id).toBe(message.id)
      expect((await messenger.ben.get(`/conversations/${id}`)).pinned_message_id).toBe(message.id)
      const unpinned = await messenger.ann.put(`/conversations/${id}`, { pinned_message_id: nothing }, sending)
      expect(unpinned.pinned_message_id).toBeNull()
    }
  })
  test('update with pinned_message_id: 400 when the message is of another conversation or unknown, and the pin stays [MSG-CONV-9]', async () => {
    const [id, other] = [await messenger.direct(), await messenger.direct()]
    const own = await messenger.say(id)
    const foreign = await messenger.say(other)
    await messenger.ann.put(`/conversations/${id}`, { pinned_message_id: own.id }, sending)
    for (const pinned_message_id of [foreign.id, unknown('msg'), 'nothing', id]) {
      const { param } = await messenger.ann.expectError(
        'VALIDATION_ERROR',
        'PUT',
        `/conversations/${id}`,
        { pinned_message_id },
        sending,
      )
      expect(param).toBe('pinned_message_id')
    }
    expect((await messenger.ann.get(`/conversations/${id}`)).pinned_message_id).toBe(own.id)
  })
  test('update with archived_at: archives; null or empty restores; a new message leaves it archived [MSG-CONV-8]', async () => {
    const id = await messenger.direct()
    const dated = await messenger.ann.put(`/conversations/${id}`, { archived_at: '2026-01-01' }, sending)
    expect(dated.archived_at).toBe(1_767_225_600)
    for (const nothing of [null, '']) {
      const archived = await messenger.ann.put(`/conversations/${id}`, { archived_at: 1_700_000_000 }, sending)
      expect(archived.archived_at).toBe(1_700_000_000)
      await messenger.say(id, 'still there', messenger.ben)
      expect((await messenger.ann.get(`/conversations/${id}`)).archived_at).toBe(1_700_000_000)
      expect((await messenger.ann.put(`/conversations/${id}`, { archived_at: nothing }, sending)).archived_at).toBeNull()
    }
  })
  test.each([['soon'], [-1], [1.5], [true], ['2026-13-01'], [1e15], ['1e3']])(
    'update with archived_at %j: 400',
    async (value) => {
      const id = await messenger.direct()
      await messenger.ann.expectError('VALIDATION_ERROR', 'PUT', `/conversations/${id}`, { archived_at: value }, sending)
      expect((await messenger.ann.get(`/conversations/${id}`)).archived_at).toBeNull()
    },
  )
  test('update with all four at once [MSG-CONV-7]', async () => {
    const id = await messenger.direct()
    const message = await messenger.say(id)
    const fields = { pinned_message_id: message.id, is_pinned: true, is_muted: true, archived_at: 1_700_000_000 }
    expect(await messenger.ann.put(`/conversations/${id}`, fields, sending)).toMatchObject(fields)
  })
  test('update: 400 without any field or with one invalid field, and nothing changes [MSG-BODY-7]', async () => {
    const id = await messenger.direct()
    const before = await messenger.ann.get(`/conversations/${id}`)
    for (const fields of [
      {},
      { title: 'x' },
      { is_pinned: true, is_muted: 'maybe' },
      { is_pinned: true, archived_at: 'soon' },
      { is_pinned: true, pinned_message_id: unknown('msg') },
    ]) {
      await messenger.ann.expectError('VALIDATION_ERROR', 'PUT', `/conversations/${id}`, fields, sending)
    }
    expect(await messenger.ann.get(`/conversations/${id}`)).toEqual(before)
  })
  test('unknown and read-only fields are ignored [API-BODY-1]', async () => {
    const extra = { title: 'x', id: unknown('conv'), unread_count: 5, last_active_at: 1, created_at: 1 }
    const created = await messenger.ann.create('/conversations', { contact_id: messenger.ben.id, ...extra }, sending)
    expect(created).toMatchObject({ unread_count: 0, last_active_at: null })
    const changed = await messenger.ann.put(`/conversations/${created.id}`, { ...extra, is_muted: true }, sending)
    expect(changed).toEqual({ ...created, is_muted: true })
  })
})

describe('conversation: retrieve and delete', () => {
  test.each([
    ['GET', undefined],
    ['PUT', { is_muted: true }],
    ['DELETE', undefined],
  ])('%s: 404 when it does not exist [MSG-CONV-6]', async (method, fields) => {
    for (const id of [unknown('conv'), unknown('msg'), 'nothing', 'conv_', 'conv_zzzzzzzzzzzzzzzzzzzzzzzzzz', '%F0%9F%A6%8A']) {
      await messenger.ann.expectError('NOT_FOUND', method, `/conversations/${id}`, fields)
    }
  })
  test('delete: removes it with its messages permanently; 204 without a body, then 404 [MSG-CONV-11]', async () => {
    const id = await messenger.direct()
    const message = await messenger.say(id)
    const deletion = await messenger.ann.send('DELETE', `/conversations/${id}`)
    expect([deletion.status, deletion.text]).toEqual([204, ''])
    for (const person of [messenger.ann, messenger.ben]) {
      for (const path of [`/conversations/${id}`, `/messages/${message.id}`, `/messages?conversation_id=${id}`]) {
        await person.expectError('NOT_FOUND', 'GET', path)
      }
      expect(JSON.stringify(await person.get('/conversations?limit=100'))).not.toContain(id)
      expect(JSON.stringify(await person.get('/messages?limit=100'))).not.toContain(id)
    }
    await messenger.ann.expectError('NOT_FOUND', 'DELETE', `/conversations/${id}`)
    const { rows } = await messenger.server.context.database.pool.query(
      'select count(*)::int as left from message where text = $1',
      [message.message],
    )
    expect(rows).toEqual([{ left: 0 }])
  })
})

describe('GET /v1/conversations', () => {
  test("list: has_more and data with the caller's own conversations [MSG-LIST-1, MSG-CONV-2]", async () => {
    const id = await messenger.direct()
    const listed = await messenger.ann.get('/conversations')
    expect(listed).toEqual({ object: 'list', data: expect.any(Array), has_more: expect.any(Boolean) })
    expect(listed.data[0]).toEqual(await messenger.ann.get(`/conversations/${id}`))
    expect(await messenger.stan.get('/conversations')).toEqual({ object: 'list', data: [], has_more: false })
  })
  test.each([
    ['muted', 'is_muted', true],
    ['pinned', 'is_pinned', true],
    ['archived', 'archived_at', 1_700_000_000],
  ] as const)('%s: filters when true, and does not when false [MSG-CONV-2]', async (filter, field, value) => {
    const [yes, no] = [await messenger.direct(), await messenger.direct()]
    await messenger.ann.put(`/conversations/${yes}`, { [field]: value })
    const ids = async (query: string): Promise<string[]> =>
      (await messenger.ann.get(`/conversations?limit=100&${query}`)).data.map(({ id }: { id: string }) => id)
    for (const truth of ['true', '1']) {
      const { data } = await messenger.ann.get(`/conversations?limit=100&${filter}=${truth}`)
      // Other tests archive conversations with the time 0.
      expect(data.map((conversation: Record<string, unknown>) => conversation[field])).not.toContain(
        value === true ? false : null,
      )
      expect(data.map(({ id }: { id: string }) => id)).toContain(yes)
    }
    for (const query of [`${filter}=false`, `${filter}=0`, '']) {
      expect(await ids(query)).toEqual(expect.arrayContaining([yes, no]))
    }
    // The other member has muted, pinned and archived no conversation.
    expect((await messenger.ben.get(`/conversations?limit=100&${filter}=true`)).data).toEqual([])
    for (const wrong of ['maybe', '2', `true&${filter}=true`]) {
      await messenger.ann.expectError('VALIDATION_ERROR', 'GET', `/conversations?${filter}=${wrong}`)
    }
  })
  test('filters: can be combined and paged', async () => {
    const ids = [await messenger.direct(), await messenger.direct(), await messenger.direct()]
    for (const id of ids) await messenger.ann.put(`/conversations/${id}`, { is_muted: true, is_pinned: true, archived_at: 1 })
    await messenger.ann.put(`/conversations/${ids[1]}`, { is_pinned: false })
    const query = 'muted=true&pinned=true&archived=true'
    const first = await messenger.ann.get(`/conversations?${query}&limit=1`)
    const second = await messenger.ann.get(`/conversations?${query}&limit=1&starting_after=${first.data[0].id}`)
    expect([first.data[0].id, first.has_more, second.data[0].id]).toEqual([ids[2], true, ids[0]])
  })
  test('group_id: only conversations of that group; 404 when the group is foreign or unknown [MSG-CONV-2]', async () => {
    const { group, conversation } = await messenger.group(messenger.ann, messenger.ben)
    await messenger.direct()
    const second = (await messenger.ben.create('/conversations', { group_id: group })).id
    const { data } = await messenger.ann.get(`/conversations?group_id=${group}`)
    expect(data.map(({ id }: { id: string }) => id)).toEqual([second, conversation])
    await messenger.stan.expectError('NOT_FOUND', 'GET', `/conversations?group_id=${group}`)
    await messenger.ann.expectError('NOT_FOUND', 'GET', `/conversations?group_id=${unknown('grp')}`)
  })
})
