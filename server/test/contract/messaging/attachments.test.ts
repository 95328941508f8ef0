import { describe, expect, test } from 'vitest'
import type { Member } from '../../messaging/client.ts'
import { FORMS, messenger, unknown } from './shared-messenger.ts'

const upload = (
  content: string | Uint8Array<ArrayBuffer> = 'some words',
  name = 'note.txt',
  type = 'text/plain',
  field = 'file',
) => {
  const raw = new FormData()
  raw.append(field, new Blob([content], { type }), name)
  return raw
}
const file = async (person: Member = messenger.ann, ...parameters: Parameters<typeof upload>) =>
  person.create('/attachments', undefined, { raw: upload(...parameters) })
const bytesOf = async (url: string, person: Member) => fetch(url, { headers: { authorization: `Bearer ${person.token}` } })

describe('attachments', () => {
  test('upload: returns every field, and a download returns the same bytes as an attachment [MSG-RES-4]', async () => {
    const content = 'some words, Ünicode'
    const created = await file(messenger.ann, content)
    expect(created).toEqual({
      id: expect.stringMatching(/^att_[0-9a-z]{26}$/),
      object: 'attachment',
      message_id: null,
      filename: 'note.txt',
      file_url: expect.stringMatching(/^http:\/\//),
      file_type: expect.stringMatching(/^text\/plain/),
      file_size: Buffer.byteLength(content),
      created_at: expect.any(Number),
    })
    expect(await messenger.ann.get(`/attachments/${created.id}`)).toEqual(created)
    const response = await bytesOf(created.file_url, messenger.ann)
    expect([response.status, await response.text()]).toEqual([200, content])
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
  })
  test.each(FORMS)('attachments: sent with a message, changed and removed (%s)', async (as) => {
    const conversation_id = await messenger.direct()
    const [one, two, three] = [await file(), await file(), await file()]
    const fields = { conversation_id, message: 'see', attachments: [one.id, two.id, one.id] }
    const sent = await messenger.ann.create('/messages', fields, { as })
    expect(sent.attachments).toEqual([one, two].map((each) => ({ ...each, message_id: sent.id })))
    expect((await messenger.ben.get(`/messages/${sent.id}`)).attachments).toEqual(sent.attachments)
    const changed = await messenger.ann.put(`/messages/${sent.id}`, { attachments: [{ id: two.id }, { id: three.id }] }, { as })
    expect(changed.attachments.map(({ id }: { id: string }) => id)).toEqual([two.id, three.id])
    await messenger.ann.expectError('NOT_FOUND', 'GET', `/attachments/${one.id}`)
    expect((await messenger.ann.put(`/messages/${sent.id}`, { attachments: '' }, { as })).attachments).toEqual([])
    for (const { id } of [two, three]) await messenger.ann.expectError('NOT_FOUND', 'GET', `/attachments/${id}`)
  })
  test('download: allowed to the uploader before the file is sent, and to members afterwards [MSG-RES-5]', async () => {
    const { id, file_url } = await file()
    for (const person of [messenger.ben, messenger.stan]) expect((await bytesOf(file_url, person)).status).toBe(404)
    await messenger.ann.create('/messages', { conversation_id: await messenger.direct(), message: 'x', attachments: [id] })
    expect((await bytesOf(file_url, messenger.ben)).status).toBe(200)
    expect((await bytesOf(file_url, messenger.stan)).status).toBe(404)
    expect((await fetch(file_url)).status).toBe(401)
  })
  test('send: 400 when the upload belongs to another user or is sent twice', async () => {
    const { id } = await file()
    const [ownConversation, otherConversation] = [await messenger.direct(), await messenger.direct(messenger.ben, messenger.cleo)]
    const fields = { conversation_id: otherConversation, message: 'x', attachments: [id] }
    await messenger.ben.expectError('VALIDATION_ERROR', 'POST', '/messages', fields)
    await messenger.ann.create('/messages', { conversation_id: ownConversation, message: 'x', attachments: [id] })
    await messenger.ann.expectError('VALIDATION_ERROR', 'POST', '/messages', {
      conversation_id: ownConversation,
      message: 'y',
      attachments: [id],
    })
  })
  test('limits: 20 attachments of 25 MiB [MSG-MSG-8, MSG-RES-4]', async () => {
    const conversation_id = await messenger.direct()
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await file()).id))
    const fields = { conversation_id, message: 'x' }
    const tooMany = { ...fields, attachments: [...ids, unknown('att')] }
    await messenger.ann.expectError('VALIDATION_ERROR', 'POST', '/messages', tooMany)
    expect((await messenger.ann.create('/messages', { ...fields, attachments: ids })).attachments).toHaveLength(20)
    const maximum = 25 * 1_048_576
    expect((await file(messenger.ann, new Uint8Array(maximum), 'big.bin', 'application/octet-stream')).file_size).toBe(maximum)
    const raw = upload(new Uint8Array(maximum + 1), 'bigger.bin', 'application/octet-stream')
    await messenger.ann.expectError('PAYLOAD_TOO_LARGE', 'POST', '/attachments', undefined, { raw })
  })
  test.each(['../../etc/passwd', 'a/b\\c.txt', 'x"; filename="y.exe', 'é🦊.txt', '..', '\u202etxt.exe'])(
    'upload: the filename is only a name: %j',
    async (name) => {
      const { filename, file_url } = await file(messenger.ann, 'x', name)
      expect(filename).not.toMatch(/[/\\"\u202e]|^\.+$/)
      const response = await bytesOf(file_url, messenger.ann)
      expect([response.status, await response.text()]).toEqual([200, 'x'])
    },
  )
})
