import { describe, expect, test } from 'vitest'
import type { Json } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers, type SendOptions } from './client.ts'

const server = await closeAfterAll(sharedServer())
const { ann, ben } = await createMembers(server, ['ann', 'ben'])
const chat = await ann.create('/conversations', { contact_id: ben.id })

const form = (raw: string): SendOptions => ({ raw, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
function multipart(fields: readonly (readonly [string, string])[]): SendOptions {
  const raw = new FormData()
  for (const [name, value] of fields) raw.append(name, value)
  return { raw }
}
const upload = async (): Promise<string> => (await ann.upload('text')).id

describe('multipart without a file', () => {
  test('messaging forms: message, conversation and profile are accepted when they are sent as multipart', async () => {
    const sent = await ann.create(
      '/messages',
      undefined,
      multipart([
        ['conversation_id', chat.id],
        ['message', 'Grüße\r\n--x--'],
      ]),
    )
    expect(sent.message).toBe('Grüße\r\n--x--')
    const updated = await ann.put(
      `/messages/${sent.id}`,
      undefined,
      multipart([
        ['reactions[heart][]', 'yes'],
        ['message', 'Hi'],
      ]),
    )
    expect(updated).toMatchObject({ message: 'Hi', reactions: [{ heart: ['yes'] }] })
    await ann.create('/conversations', undefined, multipart([['contact_id', ben.id]]))
    expect((await ann.put(`/contacts/${ann.id}`, undefined, multipart([['display_name', 'Ann']]))).display_name).toBe('Ann')
  })

  test.each([
    ['a file', '--b\r\nContent-Disposition: form-data; name="message"; filename="x"\r\n\r\nx\r\n--b--\r\n', /attachments/],
    ['no end', '--b\r\nContent-Disposition: form-data; name="message"\r\n\r\nx', /well-formed/],
    ['no boundary in it', 'x', /well-formed/],
    ['a part without a name', '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--', /well-formed/],
    ['a part without an empty line', '--b\r\nx\r\n--b--', /well-formed/],
    ['a forbidden name', '--b\r\nContent-Disposition: form-data; name="__proto__[x]"\r\n\r\nx\r\n--b--', /not allowed/],
  ])('messaging forms: request gets 400 when the multipart body has %s', async (_what, raw, message) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const error = await ann.expectError('VALIDATION_ERROR', 'POST', '/messages', undefined, { raw, headers })
    expect(error.message).toMatch(message)
  })

  test('messaging forms: upload gets 400 when it has no file', async () => {
    await ann.expectError('VALIDATION_ERROR', 'POST', '/attachments', undefined, multipart([['name', 'x']]))
  })
})

describe('values of a form', () => {
  test.each([
    ['True', true],
    ['TRUE', true],
    ['on', true],
    ['Yes', true],
    ['1', true],
    ['False', false],
    ['off', false],
    ['no', false],
    ['0', false],
  ])('messaging forms: %s is accepted as a boolean', async (text, value) => {
    const path = `/conversations/${chat.id}`
    expect((await ann.put(path, undefined, form(`is_muted=${text}`))).is_muted).toBe(value)
    expect((await ann.put(path, { is_muted: text })).is_muted).toBe(value)
  })

  test.each(['maybe', 'y', '2', 'yes,no'])('messaging forms: request gets 400 when a boolean is %s', async (text) => {
    await ann.expectError('VALIDATION_ERROR', 'PUT', `/conversations/${chat.id}`, undefined, form(`is_muted=${text}`))
  })

  test('messaging forms: list is accepted with brackets, repeated, with commas or as one value', async () => {
    const idsOf = ({ attachments }: Json): string[] => attachments.map(({ id }: Json) => id)
    const encodings: ((a: string, b: string) => string)[] = [
      (a, b) => `attachments[]=${a}&attachments[]=${b}`,
      (a, b) => `attachments=${a}&attachments=${b}`,
      (a, b) => `attachments=${a},${b}`,
      (a, b) => `attachments=${a}%2C${b}`,
      (a, b) => `attachments[0]=${a}&attachments[1]=${b}`,
    ]
    for (const encode of encodings) {
      const [a, b] = [await upload(), await upload()]
      const sent = await ann.create('/messages', undefined, form(`conversation_id=${chat.id}&message=x&${encode(a, b)}`))
      expect(idsOf(sent).toSorted(), encode('a', 'b')).toEqual([a, b].toSorted())
    }
    const only = await upload()
    expect(
      idsOf(await ann.create('/messages', undefined, form(`conversation_id=${chat.id}&message=x&attachments=${only}`))),
    ).toEqual([only])
    const group = await ann.create('/groups', undefined, form(`name=G&contacts=${ben.id}`))
    expect(group.contacts).toContain(ben.id)
  })

  test.each([
    'message=a&message=b',
    'unknown=a&unknown=b',
    'attachments[0][id]=a&attachments[0][id]=b',
    'attachments[]=a&attachments=b',
  ])('messaging forms: request gets 400 when a field is repeated or has two forms: %s', async (text) => {
    const sending = form(`conversation_id=${chat.id}&${text}`)
    const { message } = await ann.expectError('VALIDATION_ERROR', 'POST', '/messages', undefined, sending)
    expect(message).toMatch(/more than once|more than one form/)
  })
})

describe('a time', () => {
  const SECOND = 1_772_442_000
  test.each([
    String(SECOND),
    '2026-03-02T09:00:00Z',
    '2026-03-02T09:00:00.900Z',
    '2026-03-02T10:00:00+01:00',
    '2026-03-02T10:00+0100',
    '2026-03-02 09:00',
  ])('messaging forms: %s is accepted as a time', async (text) => {
    const path = `/conversations/${chat.id}`
    expect((await ann.put(path, undefined, form(`archived_at=${encodeURIComponent(text)}`))).archived_at).toBe(SECOND)
    expect((await ann.put(path, { archived_at: text })).archived_at).toBe(SECOND)
  })

  test.each(['tomorrow', '2026-13-45', '2026-03-02T09:00:00 or so', '-1', '1.5'])(
    'messaging forms: request gets 400 that names the unit when a time is %s',
    async (text) => {
      const sending = form(`archived_at=${encodeURIComponent(text)}`)
      const { message } = await ann.expectError('VALIDATION_ERROR', 'PUT', `/conversations/${chat.id}`, undefined, sending)
      expect(message).toContain('seconds')
    },
  )

  test('messaging forms: request gets 400 that names the unit when a time is in milliseconds', async () => {
    for (const archived_at of [SECOND * 1_000, String(SECOND * 1_000)]) {
      const { message, param } = await ann.expectError('VALIDATION_ERROR', 'PUT', `/conversations/${chat.id}`, { archived_at })
      expect(param).toBe('archived_at')
      expect(message).toContain('milliseconds')
    }
  })
})
