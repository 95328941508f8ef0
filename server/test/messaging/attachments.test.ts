import { readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/platform/lib/id.ts'
import type { Json } from '../admin/client.ts'
import { startMessagingServer } from '../support/messenger.ts'
import { runRecurringJob } from '../support/recurring-jobs.ts'
import { word } from '../support/scripted-provider.ts'
import { createMembers, fileForm, type Member } from './client.ts'

const MAX_BYTES = 200_000

const m = await startMessagingServer({ GATEHOUSE_MAX_FILE_BYTES: String(MAX_BYTES) })
afterAll(() => m.server.close())

const download = (person: Member, id: string, method = 'GET') =>
  fetch(`${m.server.base}/v1/attachments/${id}/content`, { method, headers: { authorization: `Bearer ${person.token}` } })

const filesOnDisk = (): string[] =>
  readdirSync(join(m.server.config.dataDir, 'files'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  )
const runJob = (name: string) => runRecurringJob(m.server.context, name)

describe('upload', () => {
  test('attachments: file type is harmless in a browser when the client declares an active type', async () => {
    for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript', 'nonsense']) {
      expect((await m.ann.upload('<svg onload="alert(1)"/>', 'x.svg', type)).file_type, type).toBe('text/plain')
    }
    expect((await m.ann.upload('a;b', 'x.csv', 'text/csv; charset=utf-8')).file_type).toBe('text/csv')
    expect((await m.ann.upload(Buffer.from([0, 1, 2, 255]), 'x', 'text/plain')).file_type).toBe('application/octet-stream')
    expect((await m.ann.upload('', 'empty', 'text/plain')).file_size).toBe(0)
  })

  test('attachments: upload gets 413 and leaves no file when it is one byte over the limit', async () => {
    expect((await m.ann.upload(Buffer.alloc(MAX_BYTES, 'x'))).file_size).toBe(MAX_BYTES)
    const before = filesOnDisk().length
    const refused = await m.ann.expectError('PAYLOAD_TOO_LARGE', 'POST', '/attachments', undefined, {
      raw: fileForm(Buffer.alloc(MAX_BYTES + 1, 'x')),
    })
    expect(refused.param).toBe('file')
    expect(filesOnDisk()).toHaveLength(before)
  })

  test('attachments: upload gets 415 when the file is a program, whatever its name', async () => {
    const program = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]), Buffer.alloc(100)])
    const before = filesOnDisk().length
    await m.ann.expectError('UNSUPPORTED_MEDIA_TYPE', 'POST', '/attachments', undefined, {
      raw: fileForm(program, 'holiday.jpg', 'image/jpeg'),
    })
    expect(filesOnDisk()).toHaveLength(before)
  })

  test('attachments: upload is refused when it is not a multipart form with exactly one file', async () => {
    const before = filesOnDisk().length
    const two = fileForm('a')
    two.append('file', new Blob(['b']), 'b.txt')
    for (const raw of [fileForm('x', 'x', 'text/plain', 'other'), two, new FormData()]) {
      await m.ann.expectError('VALIDATION_ERROR', 'POST', '/attachments', undefined, { raw })
    }
    const text = new FormData()
    text.append('file', 'not a file')
    expect((await m.ann.expectError('VALIDATION_ERROR', 'POST', '/attachments', undefined, { raw: text })).param).toBe('file')
    const broken = [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=b', ''],
      ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\ncut'],
      ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nx\r\n--b--\r\n'],
    ] as const
    for (const [type, raw] of broken) {
      await m.ann.expectError('VALIDATION_ERROR', 'POST', '/attachments', undefined, { raw, headers: { 'content-type': type } })
    }
    await m.ann.expectError('UNSUPPORTED_MEDIA_TYPE', 'POST', '/attachments', { file: 'x' })
    await m.ann.expectError('UNSUPPORTED_MEDIA_TYPE', 'POST', '/attachments', { file: 'x' }, { as: 'form' })
    await m.ann.expectError('UNSUPPORTED_MEDIA_TYPE', 'POST', '/attachments')
    await m.ann.expectError('AUTH_INVALID_KEY', 'POST', '/attachments', undefined, { raw: fileForm('x'), token: 'gu_unknown' })
    // Other routes refuse a file and name the route for files.
    const misplaced = await m.ann.expectError('VALIDATION_ERROR', 'POST', '/messages', undefined, { raw: fileForm('x') })
    expect(misplaced.message).toContain('/v1/attachments')
    expect(filesOnDisk()).toHaveLength(before)
  })

  test('attachments: upload gets 400 when the file name has more than 1,024 bytes', async () => {
    const before = filesOnDisk().length
    for (const name of ['n'.repeat(1_025), 'ü'.repeat(513), 'n'.repeat(20_000), '\u0301\u0316'.repeat(15_000)]) {
      const refused = await m.ann.expectError('VALIDATION_ERROR', 'POST', '/attachments', undefined, { raw: fileForm('x', name) })
      expect(refused).toMatchObject({
        param: 'file',
        message: 'file: must have a file name of at most 1024 bytes. Rename the file.',
      })
    }
    expect(filesOnDisk()).toHaveLength(before)
    const kept = await m.ann.upload('x', `${'n'.repeat(1_020)}.txt`)
    expect(kept.filename).toBe(`${'n'.repeat(251)}.txt`)
  })

  test('attachments: upload leaves no file and no row when its sender disconnects', async () => {
    const before = filesOnDisk().length
    const rows = await unsentRows()
    await new Promise<void>((resolve) => {
      const sending = httpRequest(`${m.server.base}/v1/attachments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${m.ann.token}`, 'content-type': 'multipart/form-data; boundary=b' },
      })
      sending.on('error', () => {}).on('close', resolve)
      sending.write(`--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n${'x'.repeat(50_000)}`)
      setTimeout(() => sending.destroy(), 100)
    })
    await expect.poll(() => filesOnDisk().length).toBe(before)
    expect(await unsentRows()).toBe(rows)
  })

  test('attachments: file is stored once under one idempotency key, and another file under it gets 409', async () => {
    const headers = { 'idempotency-key': word() }
    const first = await m.ann.upload('once', 'a.txt', 'text/plain', { headers })
    const before = filesOnDisk().length
    expect(await m.ann.upload('once', 'a.txt', 'text/plain', { headers })).toEqual(first)
    await m.ann.expectError('CONFLICT', 'POST', '/attachments', undefined, { raw: fileForm('twice', 'a.txt'), headers })
    expect(filesOnDisk()).toHaveLength(before)
  })

  test('attachments: upload gets 409 when the user has 100 unsent files', async () => {
    const { cleo } = m
    const one = await cleo.upload(word())
    const row = await m.server.context.db
      .selectFrom('message_attachment')
      .selectAll()
      .where('uploaded_by', '=', cleo.id)
      .executeTakeFirstOrThrow()
    const more = Array.from({ length: 99 }, () => ({ ...row, id: crypto.randomUUID(), place: word() }))
    await m.server.context.db.insertInto('message_attachment').values(more).execute()
    await cleo.expectError('CONFLICT', 'POST', '/attachments', undefined, { raw: fileForm('x') })
    await cleo.remove(`/attachments/${one.id}`)
    await cleo.upload(word())
  })
})

const unsentRows = async (): Promise<number> =>
  (await m.server.context.db.selectFrom('message_attachment').select('id').where('message_id', 'is', null).execute()).length

describe('file', () => {
  test('attachments: request gets 404 when the id is invalid or unknown', async () => {
    for (const id of ['x', newId('att'), newId('msg')]) await m.ann.expectError('NOT_FOUND', 'GET', `/attachments/${id}`)
  })

  test('attachments: file is unreadable at once and removed from disk later when its message or conversation is deleted', async () => {
    const carried = async () => {
      const conversation = await m.direct()
      const { id } = await m.ann.upload(word())
      const message = await m.ann.create('/messages', { conversation_id: conversation, message: 'see', attachments: [id] })
      return { conversation, id, message: message.id }
    }
    const [one, two, three, four] = [await carried(), await carried(), await carried(), await carried()]
    await runJob('remove files')
    const before = filesOnDisk().length
    await m.ann.remove(`/messages/${one.message}`)
    await m.ann.remove(`/conversations/${two.conversation}`)
    await m.ann.put(`/messages/${three.message}`, { attachments: [] })
    await m.ann.remove(`/attachments/${four.id}`)
    const updated = await m.ben.get(`/messages/${four.message}`)
    expect([updated.attachments, typeof updated.updated_at]).toEqual([[], 'number'])
    for (const { id } of [one, two, three, four]) await m.ben.expectError('NOT_FOUND', 'GET', `/attachments/${id}/content`)
    await runJob('remove files')
    expect(filesOnDisk()).toHaveLength(before - 4)
    await m.ann.expectError('NOT_FOUND', 'DELETE', `/attachments/${four.id}`)
  })

  test('attachments: file of a held message is readable only by its uploader until the message is approved', async () => {
    const conversation = await m.direct()
    const { id } = await m.ann.upload(word())
    const held = await m.ann.expectError('POLICY_REVIEW_PENDING', 'POST', '/messages', {
      conversation_id: conversation,
      message: `rowan-hold ${word()}`,
      attachments: [id],
    })
    await m.ben.expectError('NOT_FOUND', 'GET', `/attachments/${id}/content`)
    await m.ann.expectError('CONFLICT', 'DELETE', `/attachments/${id}`)
    await m.operator.post(`/reviews/${held.review_item_id}/approve`, {})
    expect((await download(m.ben, id)).status).toBe(200)
  })

  test('attachments: events about a file do not contain its name', async () => {
    const name = `${word()}.txt`
    const { id } = await m.ann.upload('x', name)
    const conversation = await m.direct()
    await m.ann.create('/messages', { conversation_id: conversation, message: 'see', attachments: [id] })
    await m.ann.remove(`/attachments/${id}`)
    await m.server.context.relay.run()
    const events = await m.server.context.db
      .selectFrom('event_log')
      .selectAll()
      .where('object_id', '=', id)
      .orderBy('sequence')
      .execute()
    expect(events.map(({ type, audience }) => [type, audience.toSorted()])).toEqual([
      ['attachment.created', [m.ann.id]],
      ['attachment.updated', [m.ann.id]],
      ['attachment.deleted', [m.ann.id, m.ben.id]],
    ])
    expect(JSON.stringify(events)).not.toContain(name)
  })

  test('attachments: download gets 503 when the stored bytes are missing', async () => {
    const { id } = await m.ann.upload(word())
    const { place } = await m.server.context.db
      .selectFrom('message_attachment')
      .select('place')
      .where('uploaded_by', '=', m.ann.id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    await m.server.context.files.remove(place)
    await m.ann.expectError('UNAVAILABLE', 'GET', `/attachments/${id}/content`)
  })
})

test("attachments: list holds the user's own uploads, newest first, in pages", async () => {
  const { dora } = await createMembers(m.server, ['dora'])
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift((await dora.upload(word())).id)
  const page = async (query: string) => {
    const { data, has_more } = await dora.get(`/attachments?${query}`)
    return [data.map((item: Json) => item.id), has_more]
  }
  expect(await page('')).toEqual([ids, false])
  expect(await page('limit=2')).toEqual([ids.slice(0, 2), true])
  expect(await page(`limit=2&starting_after=${ids[1]}`)).toEqual([[ids[2]], false])
  expect(await page(`limit=1&ending_before=${ids[2]}`)).toEqual([[ids[1]], true])
  await dora.expectError('VALIDATION_ERROR', 'GET', `/attachments?starting_after=${newId('att')}`)
})
