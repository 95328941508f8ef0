import { describe, expect, test } from 'vitest'
import { word } from '../../support/scripted-provider.ts'
import { clock, FORMS, messenger } from './shared-messenger.ts'

const DAY = 24 * 3_600_000

describe('idempotency', () => {
  const keyed = (key = word(), as: 'json' | 'form' = 'json') => ({ as, headers: { 'idempotency-key': key } })

  test.each(FORMS)(
    'a repeated request gets the original status and body and has no second effect (%s) [MSG-IDEM-1]',
    async (as) => {
      const id = await messenger.direct()
      const sending = keyed(word(), as)
      const fields = { conversation_id: id, message: 'once' }
      const first = await messenger.ann.send('POST', '/messages', fields, sending)
      await messenger.ann.put(`/messages/${first.body.id}`, { message: 'edited since' })
      const again = await messenger.ann.send('POST', '/messages', fields, sending)
      expect([again.status, again.text]).toEqual([201, first.text])
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
      expect(await messenger.texts(id)).toEqual(['edited since'])
    },
  )
  test('a form and JSON with the same values in any order are the same request', async () => {
    const id = await messenger.direct()
    const [json, form] = [keyed('either-form', 'json'), keyed('either-form', 'form')]
    const fields = { conversation_id: id, message: 'once' }
    const first = await messenger.ann.send('POST', '/messages', fields, json)
    const reordered = { message: 'once', conversation_id: id }
    expect((await messenger.ann.send('POST', '/messages', reordered, form)).text).toBe(first.text)
  })
  test('the same key with another body, path or method: 409 CONFLICT without effect [MSG-IDEM-2]', async () => {
    const id = await messenger.direct()
    const sending = keyed()
    const { id: message } = await messenger.ann.create('/messages', { conversation_id: id, message: 'once' }, sending)
    for (const [method, path, fields] of [
      ['POST', '/messages', { conversation_id: id, message: 'other' }],
      ['POST', '/conversations', { contact_id: messenger.ben.id }],
      ['PUT', `/messages/${message}`, { message: 'other' }],
      ['PUT', `/conversations/${id}`, { is_muted: true }],
    ] as const) {
      await messenger.ann.expectError('CONFLICT', method, path, fields, sending)
    }
    expect(await messenger.texts(id)).toEqual(['once'])
  })
  test('keys of different users are independent [MSG-IDEM-2]', async () => {
    const id = await messenger.direct()
    const sending = keyed()
    const fields = { conversation_id: id, message: 'each' }
    for (const person of [messenger.ann, messenger.ben]) await person.create('/messages', fields, sending)
    expect(await messenger.texts(id)).toEqual(['each', 'each'])
  })
  test('ten concurrent requests with one key: one message, one response [MSG-IDEM-3]', async () => {
    const id = await messenger.direct()
    const sending = keyed()
    const fields = { conversation_id: id, message: 'at once' }
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => messenger.ann.send('POST', '/messages', fields, sending)),
    )
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(responses[0]?.status).toBe(201)
    expect(await messenger.texts(id)).toEqual(['at once'])
  })
  test('Idempotency-Key: accepted on PUT and on every POST [MSG-IDEM-1]', async () => {
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
  test('a failed request stores no key and may succeed later', async () => {
    const sending = keyed()
    const { group } = await messenger.group(messenger.ann)
    await messenger.ben.expectError('NOT_FOUND', 'POST', '/conversations', { group_id: group }, sending)
    await messenger.ann.post(`/groups/${group}/contacts`, { contact_id: messenger.ben.id })
    await messenger.ben.create('/conversations', { group_id: group }, sending)
  })
  test('Idempotency-Key: 400 unless it has 1 to 255 characters [MSG-IDEM-1]', async () => {
    const id = await messenger.direct()
    for (const length of [1, 255]) {
      await messenger.ann.create('/messages', { conversation_id: id, message: 'x' }, keyed('k'.repeat(length)))
    }
    for (const key of ['', 'k'.repeat(256)]) {
      await messenger.ann.expectError('VALIDATION_ERROR', 'POST', '/messages', { conversation_id: id, message: 'x' }, keyed(key))
    }
    expect(await messenger.texts(id)).toHaveLength(2)
  })
  test('Idempotency-Key: valid for 24 hours [MSG-IDEM-1]', async () => {
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
