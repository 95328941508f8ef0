import { describe, expect, test } from 'vitest'
import { clock, FORMS, messenger, unknown } from './shared-messenger.ts'

const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000)
/** Characters that a form must escape. */
const ODD_TEXT = 'Hällo & co = 100% + 🦊 [a][]=b; "x"\r\n\ttab'

describe.each(FORMS)('message (%s)', (as) => {
  const sending = { as }

  test('send: every field, created and unread [MSG-MSG-1, MSG-MSG-2, MSG-MSG-4]', async () => {
    const conversation_id = await messenger.direct()
    const { display_name, phone_number } = await messenger.ann.get(`/contacts/${messenger.ann.id}`)
    const before = nowSeconds()
    const sent = await messenger.ann.create('/messages', { conversation_id, message: ODD_TEXT }, sending)
    expect(sent).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-z]{26}$/),
      object: 'message',
      conversation_id,
      contact: {
        id: messenger.ann.id,
        object: 'contact',
        username: messenger.ann.id,
        display_name,
        phone_number,
        avatar_url: expect.stringMatching(/^http:\/\//),
        is_assistant: false,
        last_active_at: expect.any(Number),
        created_at: expect.any(Number),
      },
      message: ODD_TEXT,
      reactions: [],
      attachments: [],
      reply_to: null,
      governance: { audit_id: expect.stringMatching(/^aud_/) },
      read_at: null,
      created_at: expect.any(Number),
      updated_at: null,
    })
    expect(Number.isInteger(sent.created_at)).toBe(true)
    expect(sent.created_at).toBeGreaterThanOrEqual(before)
    expect(sent.contact.last_active_at).toBeGreaterThanOrEqual(sent.contact.created_at)
    expect(await messenger.ben.get(`/messages/${sent.id}`)).toEqual(sent)
    expect(await messenger.ann.get(`/messages/${sent.id}`)).toEqual(sent)
  })
  test.each([
    ['conversation_id', [undefined, '', null, ['x']]],
    ['message', [undefined, '', null, ['x'], { text: 'x' }]],
    ['attachments', ['nothing', [unknown('att')], ['x'], [{ name: 'x' }], [['x']], { a: 'b' }]],
  ])('send: 400 when %s is invalid, and nothing is stored [MSG-MSG-4]', async (field, values) => {
    const conversation_id = await messenger.direct()
    for (const value of values) {
      const fields = { conversation_id, message: 'x', [field]: value }
      if (value === undefined) delete fields[field]
      const { param } = await messenger.ann.expectError('VALIDATION_ERROR', 'POST', '/messages', fields, sending)
      expect(String(param), JSON.stringify(value)).toMatch(new RegExp(`^${field}`))
    }
    expect(await messenger.texts(conversation_id)).toEqual([])
  })
  test('send: 404 when the conversation does not exist or the caller is not a member [MSG-MSG-5]', async () => {
    for (const conversation_id of [unknown('conv'), unknown('msg'), 'nothing']) {
      await messenger.ann.expectError('NOT_FOUND', 'POST', '/messages', { conversation_id, message: 'x' }, sending)
    }
    const conversation_id = await messenger.direct()
    await messenger.stan.expectError('NOT_FOUND', 'POST', '/messages', { conversation_id, message: 'x' }, sending)
    expect(await messenger.texts(conversation_id)).toEqual([])
  })
  test('send: 32 KiB are stored whole, one byte more is refused [MSG-MSG-8]', async () => {
    const conversation_id = await messenger.direct()
    const longest = `${'ü'.repeat(16_000)}${'x'.repeat(768)}`
    expect((await messenger.ann.create('/messages', { conversation_id, message: longest }, sending)).message).toBe(longest)
    for (const message of [`${longest}x`, 'x'.repeat(32_769), 'ü'.repeat(17_000)]) {
      const { status } = await messenger.ann.send('POST', '/messages', { conversation_id, message }, sending)
      expect([400, 413]).toContain(status)
    }
    expect(await messenger.texts(conversation_id)).toEqual([longest])
  })
  test('update with message: returns the new text, sets updated_at, keeps created_at and place [MSG-MSG-6]', async () => {
    const id = await messenger.direct()
    const [first] = await messenger.sayAll(id, ['first', 'second'])
    const changed = await messenger.ann.put(`/messages/${first.id}`, { message: ODD_TEXT }, sending)
    expect(changed).toEqual({
      ...first,
      message: ODD_TEXT,
      updated_at: expect.any(Number),
      governance: { audit_id: expect.stringMatching(/^aud_/) },
      contact: expect.objectContaining({ id: messenger.ann.id }),
    })
    expect(Number.isInteger(changed.updated_at)).toBe(true)
    expect(await messenger.texts(id, messenger.ben)).toEqual([ODD_TEXT, 'second'])
  })
  test('update with reactions: a map of names to lists of strings is returned as an array of maps [MSG-REACT-1]', async () => {
    const { id } = await messenger.say(await messenger.direct())
    const reactions = { red_angry_face: ['one', 'two'], heart: ['one'] }
    const changed = await messenger.ann.put(`/messages/${id}`, { reactions }, sending)
    expect(changed.reactions).toEqual([{ red_angry_face: ['one', 'two'] }, { heart: ['one'] }])
    expect(changed.updated_at).toEqual(expect.any(Number))
    expect((await messenger.ben.get(`/messages/${id}`)).reactions).toEqual(changed.reactions)
  })
  test('update with all three at once [MSG-MSG-6]', async () => {
    const { id } = await messenger.say(await messenger.direct())
    const fields = { message: 'new', reactions: { ok: ['x'] }, attachments: '' }
    const changed = await messenger.ann.put(`/messages/${id}`, fields, sending)
    expect(changed).toMatchObject({ message: 'new', reactions: [{ ok: ['x'] }], attachments: [] })
  })
  test('update: 400 without any field or with one invalid field, and nothing changes [MSG-BODY-7]', async () => {
    const sent = await messenger.say(await messenger.direct(), 'before')
    for (const fields of [
      {},
      { text: 'x' },
      { message: '' },
      { message: ['x'] },
      { message: 'after', reactions: 'heart' },
      // In a form, this value equals a list of one.
      ...(as === 'json' ? [{ message: 'after', reactions: { heart: 'x' } }] : []),
      { message: 'after', reactions: { heart: [['x']] } },
      { message: 'after', attachments: [unknown('att')] },
      { message: 'after', attachments: 'x' },
    ]) {
      await messenger.ann.expectError('VALIDATION_ERROR', 'PUT', `/messages/${sent.id}`, fields, sending)
    }
    expect(await messenger.ann.get(`/messages/${sent.id}`)).toEqual(sent)
  })
})

describe('message: forms and types of bodies', () => {
  const put = async (raw: string) => {
    const { id } = await messenger.say(await messenger.direct())
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return messenger.ann.put(`/messages/${id}`, undefined, { raw, headers })
  }
  test.each([
    ['raw', 'reactions[red_angry_face][]=one&reactions[red_angry_face][]=two'],
    ['percent-encoded', 'reactions%5Bred_angry_face%5D%5B%5D=one&reactions%5Bred_angry_face%5D%5B%5D=two'],
    ['lower-case escapes', 'reactions%5bred_angry_face%5d%5b%5d=one&reactions%5bred_angry_face%5d%5b%5d=two'],
    ['numbered', 'reactions[red_angry_face][0]=one&reactions[red_angry_face][1]=two'],
    ['as an array of maps', 'reactions[0][red_angry_face][]=one&reactions[0][red_angry_face][]=two'],
  ])('reactions, brackets %s [MSG-BODY-2]', async (_, raw) => {
    expect((await put(raw)).reactions).toEqual([{ red_angry_face: ['one', 'two'] }])
  })
  test('reactions as an array of maps (JSON) [MSG-REACT-1]', async () => {
    const { id } = await messenger.say(await messenger.direct())
    const reactions = [{ heart: ['one'] }, { star: ['two'] }, { heart: ['three', 'one'] }]
    const changed = await messenger.ann.put(`/messages/${id}`, { reactions })
    expect(changed.reactions).toEqual([{ heart: ['one', 'three'] }, { star: ['two'] }])
  })
  test('a repeated scalar is 400, in a body and in a query [MSG-BODY-5]', async () => {
    const id = await messenger.direct()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const raw = `conversation_id=${id}&message=a&message=b`
    await messenger.ann.expectError('VALIDATION_ERROR', 'POST', '/messages', undefined, { raw, headers })
    await messenger.ann.expectError('VALIDATION_ERROR', 'GET', `/messages?conversation_id=${id}&conversation_id=${id}`)
    expect(await messenger.texts(id)).toEqual([])
  })
  test.each(['text/plain', 'application/xml', 'application/x-ndjson', 'nonsense'])(
    'a body of type %s is 415 [MSG-BODY-1]',
    async (type) => {
      const raw = 'conversation_id=x&message=y'
      await messenger.ann.expectError('UNSUPPORTED_MEDIA_TYPE', 'POST', '/messages', undefined, {
        raw,
        headers: { 'content-type': type },
      })
    },
  )
})

describe('message: list, retrieve and delete', () => {
  test('GET /v1/messages: has_more and data, newest first; conversation_id limits it to one conversation [MSG-MSG-3]', async () => {
    const [one, other] = [await messenger.direct(), await messenger.direct()]
    const [a] = await messenger.sayAll(one, ['a'])
    const [b] = await messenger.sayAll(other, ['b'])
    const [c] = await messenger.sayAll(one, ['c'])
    const listed = await messenger.ann.get(`/messages?conversation_id=${one}`)
    expect(listed).toEqual({
      object: 'list',
      data: [c, a].map((m) => ({ ...m, contact: listed.data[0].contact })),
      has_more: false,
    })
    const all = (await messenger.ann.get('/messages?limit=3')).data.map(({ id }: { id: string }) => id)
    expect(all).toEqual([c.id, b.id, a.id])
  })
  test.each([
    ['GET', undefined],
    ['PUT', { message: 'x' }],
    ['DELETE', undefined],
  ])('%s: 404 when it does not exist [MSG-MSG-5]', async (method, fields) => {
    for (const id of [unknown('msg'), unknown('conv'), 'nothing', 'msg_', '%00', '%F0%9F%A6%8A']) {
      await messenger.ann.expectError('NOT_FOUND', method, `/messages/${id}`, fields)
    }
  })
  test('delete: removes it permanently and clears its pin; 204 without a body, then 404 [MSG-MSG-7, MSG-CONV-9]', async () => {
    const id = await messenger.direct()
    const [first, second] = await messenger.sayAll(id, ['first', 'second'])
    await messenger.ann.put(`/conversations/${id}`, { pinned_message_id: first.id })
    await messenger.ben.put(`/messages/${first.id}/reactions/heart`)
    const deletion = await messenger.ann.send('DELETE', `/messages/${first.id}`)
    expect([deletion.status, deletion.text]).toEqual([204, ''])
    for (const method of ['GET', 'DELETE']) await messenger.ann.expectError('NOT_FOUND', method, `/messages/${first.id}`)
    expect((await messenger.ben.get(`/conversations/${id}`)).pinned_message_id).toBeNull()
    expect(await messenger.texts(id)).toEqual(['second'])
    expect((await messenger.ann.get(`/messages?conversation_id=${id}&starting_after=${second.id}`)).data).toEqual([])
  })
})

describe('messaging paths', () => {
  test.each(['/conversations', '/messages', '/contacts', '/groups'])(
    '%s: the path carries /v1, and no other [API-HTTP-2]',
    async (path) => {
      const headers = { authorization: `Bearer ${messenger.ann.token}` }
      const status = async (prefix: string) => (await fetch(`${messenger.base}${prefix}${path}`, { headers })).status
      expect([await status('/v1'), await status(''), await status('/v2')]).toEqual([200, 404, 404])
    },
  )
  test('unsupported method: 405 in the error envelope [API-HTTP-3]', async () => {
    for (const [method, path] of [
      ['PATCH', '/conversations'],
      ['DELETE', '/messages'],
      ['POST', `/messages/${unknown('msg')}`],
    ] as const) {
      await messenger.ann.expectError('METHOD_NOT_ALLOWED', method, path)
    }
  })
})
