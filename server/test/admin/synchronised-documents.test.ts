import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()
let id: string
beforeEach(async () => {
  id = (await admin.create('/collections', { name: crypto.randomUUID() }, { workspace })).id
})

const SITE = 'https://files.example.com/hr/'
const document = (key: string, more: object = {}) => ({ key, content: `Text of ${key}.`, source: `${SITE}${key}`, ...more })
const push = async (documents: readonly object[], labels: object = {}): Promise<Json[]> =>
  (await admin.post(`/collections/${id}/documents`, { documents, ...labels }, { workspace })).data
const list = (query = ''): Promise<Json[]> => admin.all(`/documents?collection=${id}${query}`, { limit: 3, workspace })
const keys = async (query = ''): Promise<string[]> => (await list(query)).map(({ key }) => key).sort()
const erase = (body: object): Promise<Json> => admin.send('POST', `/collections/${id}/documents/delete`, body, { workspace })
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${String(at).padStart(4, '0')}.md`)

describe('documents of a synchronisation', () => {
  test('labels: a document keeps its own, and the others get those of the request', async () => {
    const documents = [
      document('a.md', { acl: { groups: ['hr'], deny: { users: ['eve'] } }, classification: 'confidential' }),
      document('b.md', { acl: null }),
      document('c.md'),
    ]
    const labels = { acl: { groups: ['staff'] }, classification: 'internal' }
    expect((await push(documents, labels)).map(({ outcome }) => outcome)).toEqual(['added', 'added', 'added'])
    const stored = async () => (await list()).map(({ key, acl, classification }) => [key, acl, classification])
    const expected = [
      ['a.md', { groups: ['hr'], deny: { users: ['eve'] } }, 'confidential'],
      ['b.md', null, 'internal'],
      ['c.md', { groups: ['staff'] }, 'internal'],
    ]
    expect((await stored()).toSorted()).toEqual(expected)
    expect((await push(documents, labels)).map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged', 'unchanged'])
    const refused = await admin.send(
      'POST',
      `/collections/${id}/documents`,
      { documents: [document('a.md'), document('d.md', { acl: 'staff' })] },
      { workspace },
    )
    expectError(refused, 'VALIDATION_ERROR', 'documents[1].acl')
    expect((await stored()).toSorted()).toEqual(expected)
  })

  test('source: an equal upload changes and records nothing, another source is a change', async () => {
    await push([document('a.md')])
    const records = await admin.records(100, { workspace })
    expect((await push([document('a.md')]))[0].outcome).toBe('unchanged')
    expect(await admin.records(100, { workspace })).toEqual(records)
    expect((await push([document('a.md', { source: `${SITE}moved/a.md` })]))[0].outcome).toBe('relabelled')
    expect((await list())[0].source).toBe(`${SITE}moved/a.md`)
  })

  test('list: by the start of the source, in pages, with the hash of the file', async () => {
    await push([...numbered(7).map((key) => document(key)), { key: 'own.md', content: 'Own.' }])
    await push([{ key: 'x.md', content: 'X.', source: 'https://files.example.com/%r/x.md' }])
    expect(await keys(`&source=${encodeURIComponent(SITE)}`)).toEqual(numbered(7))
    expect(await keys('&source=own.md')).toEqual(['own.md'])
    // The characters of patterns have no meaning.
    expect(await keys('&source=%25')).toEqual([])
    const [first] = await list(`&source=${encodeURIComponent(`${SITE}0000`)}`)
    const hash = await crypto.subtle.digest('SHA-256', Buffer.from('Text of 0000.md.'))
    expect(first).toMatchObject({ content_hash: Buffer.from(hash).toString('hex'), source: `${SITE}0000.md`, state: 'indexed' })
  })

  test('deletion by key: ignores unknown keys, can be repeated, and is recorded for each document', async () => {
    await push(numbered(11).map((key) => document(key)))
    const selection = { keys: ['0003.md', '0004.md', 'unknown.md'] }
    const { status, body } = await erase(selection)
    expect([status, body.object, body.has_more]).toEqual([200, 'document_deletion', false])
    expect(body.data.map(({ key }: Json) => key).toSorted()).toEqual(['0003.md', '0004.md'])
    const changes = (await admin.records(2, { workspace })).map(({ change }: Json) => [change.action, change.object_id])
    expect(changes.toSorted()).toEqual(body.data.map((deleted: Json) => ['document.delete', deleted.document_id]).toSorted())
    expect((await erase(selection)).body).toEqual({ object: 'document_deletion', data: [], has_more: false })
    expect(await keys()).toEqual(numbered(11).filter((key) => !selection.keys.includes(key)))
  })

  test('deletion by source: deletes e-mail with its attachments, and leaves other sources', async () => {
    const part = 'Content-Disposition: attachment; filename="a.csv"\r\n\r\nname,price\r\nshoe,70'
    const head = 'From: ann@example.org\r\nSubject: Offer\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x'
    const mail = `${head}\r\n\r\n--x\r\n\r\nSee.\r\n--x\r\n${part}\r\n--x--\r\n`
    await push([document('mail.eml', { content: mail, media_type: 'message/rfc822' }), { key: 'own.md', content: 'Own.' }])
    expect(await keys()).toEqual(['mail.eml', 'mail.eml/a.csv', 'own.md'])
    expect((await erase({ source: SITE, force: true })).body.data.map(({ key }: Json) => key)).toEqual(['mail.eml'])
    expect(await keys()).toEqual(['own.md'])
  })

  test('deletion: refuses more than 20 % of the documents without force, and then deletes none', async () => {
    await push(numbered(10).map((key) => document(key)))
    const refused = await erase({ keys: numbered(3) })
    expect(expectError(refused, 'CONFLICT').message).toBe(
      '3 of 10 documents would be deleted, which is more than 20 %, so no document was deleted. Check the selection, or send `force`.',
    )
    expectError(await erase({ source: SITE }), 'CONFLICT')
    expect(await keys()).toEqual(numbered(10))
    expect((await erase({ keys: numbered(2) })).status).toBe(200)
    expect((await erase({ source: SITE, force: true })).body.data).toHaveLength(8)
    expect(await keys()).toEqual([])
    expect((await erase({ source: SITE })).body.data).toEqual([])
  })

  test('deletion: more documents than a transaction holds go in one request', async () => {
    await push(numbered(60).map((key) => document(key)))
    const { body } = await erase({ source: SITE, force: true })
    expect([body.data.length, body.has_more]).toEqual([60, false])
    expect(await keys()).toEqual([])
  })

  test('deletion: needs one selection, and cannot distinguish an absent collection from one of another Workspace', async () => {
    for (const body of [{}, { keys: ['a'], source: 'b' }, { keys: [] }, { source: '' }, { source: 'a\0' }])
      expectError(await erase(body), 'VALIDATION_ERROR')
    const other = await admin.create('/collections', { name: 'foreign' }, { workspace: await admin.workspace() })
    const refusals = await Promise.all(
      [other.id, 'col_01h455vb4pex5vsknk084sn02q', 'x'].map((at) =>
        admin.send('POST', `/collections/${at}/documents/delete`, { source: 'a', force: true }, { workspace }),
      ),
    )
    for (const refusal of refusals) expectError(refusal, 'NOT_FOUND')
  })
})
