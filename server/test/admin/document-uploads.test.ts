import { beforeEach, describe, expect, test } from 'vitest'
import { fromId } from '../../src/platform/lib/id.ts'
import { assertNoContent } from '../support/audit.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

let collection: Json
const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()
beforeEach(async () => {
  collection = await admin.create('/collections', { name: crypto.randomUUID() }, { workspace })
})

const ingest = async (body: object): Promise<Json[]> =>
  (await admin.post(`/collections/${collection.id}/documents`, body, { workspace })).data
const documents = async (query = `collection=${collection.id}`): Promise<Json[]> =>
  (await admin.get(`/documents?${query}`, { workspace })).data
const document = (id: string): Promise<Json> => admin.get(`/documents/${id}`, { workspace })

describe('warnings', () => {
  test('warnings: in the answer, counted in the list and complete in the document', async () => {
    const content = '<html><body><p>Text</p><p hidden>Hidden</p><p hidden>Also hidden</p><img src="plan.png"></body></html>'
    const [added] = await ingest({ documents: [{ key: 'page.html', content }] })
    const warnings = [
      {
        kind: 'hidden_text',
        message: 'Text that is hidden from readers was left out.',
        place: null,
        detail: null,
        count: 2,
      },
      { kind: 'picture', message: 'A picture whose text was not read.', place: null, detail: null, count: 1 },
    ]
    const byKind = (all: Json[]) => all.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
    expect(byKind(added.warnings)).toEqual(warnings)
    const stored = await document(added.document_id)
    expect(byKind(stored.warnings)).toEqual(warnings)
    expect(stored.warning_count).toBe(2)
    const [listed] = await documents()
    expect(listed.warning_count).toBe(2)
    expect(listed).not.toHaveProperty('warnings')
    expect((await ingest({ documents: [{ key: 'page.html', content }] }))[0]).toEqual({ ...added, outcome: 'unchanged' })
    expect((await ingest({ documents: [{ key: 'page.html', content: '# Clean' }] }))[0].warnings).toEqual([])
    expect(await document(added.document_id)).toMatchObject({ warning_count: 0, warnings: [] })
  })

  const forgetWarnings = (...ids: readonly string[]) =>
    server.context.database.db
      .updateTable('knowledge_document')
      .set({ warnings: null })
      .where(
        'id',
        'in',
        ids.map((id) => fromId('doc', id) ?? ''),
      )
      .execute()

  test('warnings: unknown for a document that a version without warnings read, until its file is uploaded again', async () => {
    const content = '<html><body><p>Old.</p><p hidden>Hidden</p></body></html>'
    const old = { documents: [{ key: 'old.html', content }] }
    const [{ document_id: id, chunks }] = (await ingest(old)) as [Json]
    await forgetWarnings(id)
    expect(await document(id)).toMatchObject({ warning_count: null, warnings: null, state: 'indexed' })
    const unknown = () => documents(`collection=${collection.id}&warnings=unknown`)
    expect((await unknown()).map(({ id: listed }) => listed)).toEqual([id])
    const [again] = (await ingest(old)) as [Json]
    expect(again).toMatchObject({ outcome: 'changed', document_id: id, chunks, warnings: [{ kind: 'hidden_text' }] })
    expect(await document(id)).toMatchObject({ warning_count: 1, state: 'indexed' })
    expect(await unknown()).toEqual([])
    expect(await ingest(old)).toMatchObject([{ outcome: 'unchanged' }])
  })

  test('warnings: a file that cannot be read again keeps its earlier version and stays unknown', async () => {
    const [{ document_id: id }] = (await ingest({ documents: [{ key: 'odd.md', content: 'Odd.' }] })) as [Json]
    await forgetWarnings(id)
    expect(await ingest({ documents: [{ key: 'odd.md', content: ' ' }] })).toMatchObject([{ outcome: 'failed' }])
    expect(await document(id)).toMatchObject({ warning_count: null, state: 'failed', version: 1, chunks: 1 })
  })

  test('warnings: the attachments of a file that is uploaded again are known too', async () => {
    const part = (name: string, text: string) =>
      `--x\r\nContent-Type: text/plain; name=${name}\r\nContent-Disposition: attachment; filename=${name}\r\n\r\n${text}\r\n`
    const content = `From: a@example.com\r\nSubject: Old\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain\r\n\r\nThe mail.\r\n${part('offer.txt', 'The offer.')}--x--`
    const mail = { documents: [{ key: 'known.eml', content, media_type: 'message/rfc822' }] }
    const [{ document_id: id, attachments }] = (await ingest(mail)) as [Json]
    await forgetWarnings(id, attachments[0].document_id)
    await ingest(mail)
    expect(await document(id)).toMatchObject({ warning_count: 0 })
    expect(await document(attachments[0].document_id)).toMatchObject({ warning_count: 0, parent_id: id })
  })
})

describe('attachments', () => {
  test('in the answer, as documents, recorded, and with the labels of their e-mail only', async () => {
    const headers = 'From: ann@example.org\r\nSubject: Offer\r\nMIME-Version: 1.0\r\n'
    const part = 'Content-Type: text/csv\r\nContent-Disposition: attachment; filename="prices.csv"\r\n\r\nname,price\r\nshoe,70'
    const mail = `${headers}Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nSee.\r\n--x\r\n${part}\r\n--x--\r\n`
    const path = `/collections/${collection.id}/documents?key=mail.eml&classification=internal`
    const { data } = await admin.post(path, undefined, { workspace, raw: mail, type: 'message/rfc822' })
    const [{ document_id: id, attachments }] = data
    expect(attachments).toEqual([
      { key: 'mail.eml/prices.csv', outcome: 'added', document_id: expect.stringMatching(/^doc_/), error: null },
    ])
    const attachment = attachments[0].document_id
    expect(await document(attachment)).toMatchObject({ parent_id: id, classification: 'internal', source: 'mail.eml' })
    expect(await document(id)).toMatchObject({ parent_id: null, warnings: [] })
    const changes = (await admin.records(2, { workspace })).map(({ change }: Json) => [change.action, change.object_id])
    expect(changes.toSorted()).toEqual(
      [
        ['document.create', attachment],
        ['document.create', id],
      ].toSorted(),
    )
    const refused = await admin.send('PATCH', `/documents/${attachment}`, { classification: 'public' }, { workspace })
    expectError(refused, 'CONFLICT')
    await admin.patch(`/documents/${id}`, { classification: 'confidential' }, { workspace })
    expect(await document(attachment)).toMatchObject({ classification: 'confidential' })
  })
})

describe('uploads that do not wait', () => {
  const upload = async (documents: object[]): Promise<Json[]> =>
    (await admin.post(`/collections/${collection.id}/documents?wait=false`, { documents }, { workspace })).data
  const settled = async (id: string): Promise<Json> => {
    const state = async () => (await document(id)).state
    await expect.poll(state, { timeout: 20_000 }).toMatch(/^(indexed|failed)$/)
    return document(id)
  }

  test('queued, and then indexed or failed in the background; unchanged content at once', async () => {
    const [good, bad] = (await upload([
      { key: 'good.md', content: 'Good.' },
      { key: 'bad.md', content: ' ' },
    ])) as [Json, Json]
    for (const { outcome, error } of [good, bad]) expect([outcome, error]).toEqual(['queued', null])
    expect(await settled(good.document_id)).toMatchObject({ state: 'indexed', failure: null, version: 1, chunks: 1 })
    expect(await settled(bad.document_id)).toMatchObject({ state: 'failed', failure: { code: 'empty' }, version: 0 })
    expect(await upload([{ key: 'good.md', content: 'Good.' }])).toMatchObject([{ outcome: 'unchanged' }])
    const changes = (await admin.records(2, { workspace })).map(({ change }) => `${change.action} ${change.object_id}`)
    expect(changes.toSorted()).toEqual([`document.create ${good.document_id}`, `document.fail ${bad.document_id}`])
  })

  test('failed: recorded with the code and the operator of the upload, without content; again after a retry', async () => {
    const documents = [{ key: 'plans/attack.pdf', content: 'Attack at dawn.' }]
    const [bad] = (await upload(documents)) as [Json]
    await settled(bad.document_id)
    const failures = async () =>
      (await admin.records(20, { workspace })).filter(({ change }: Json) => change.object_id === bad.document_id)
    const [record, ...others] = await failures()
    expect(others).toEqual([])
    const change = { action: 'document.fail', object_type: 'document', fields: ['state', 'failure'], failure: 'broken' }
    expect(record.change).toEqual({ ...change, object_id: bad.document_id })
    const [created] = await admin.records(20, { workspace }).then((all) => all.toReversed())
    expect(record.user).toEqual(created.user)
    assertNoContent(record, ['attack', 'dawn'])
    await admin.post(`/documents/${bad.document_id}/retry`, undefined, { workspace })
    const actions = async () => (await failures()).map((one: Json) => one.change.action)
    await expect.poll(actions).toEqual(['document.fail', 'document.retry', 'document.fail'])
    // An upload that waits is recorded as well.
    const [waited] = (await ingest({ documents: [{ key: 'blank.md', content: ' ' }] })) as [Json]
    const [last] = await admin.records(1, { workspace })
    expect(last.change).toMatchObject({ action: 'document.fail', object_id: waited.document_id, failure: 'empty' })
  })

  test('retry: reads the file of a failed upload again, and 409 when none is kept', async () => {
    const [bad] = (await upload([{ key: 'bad.md', content: ' ' }])) as [Json]
    const { failure } = await settled(bad.document_id)
    const retried = await admin.post(`/documents/${bad.document_id}/retry`, undefined, { workspace })
    expect(retried).toMatchObject({ state: 'queued', failure: null })
    const again = await settled(bad.document_id)
    expect(again.failure.at > failure.at).toBe(true)
    await ingest({ documents: [{ key: 'bad.md', content: 'Good now.' }] })
    const refused = await admin.send('POST', `/documents/${bad.document_id}/retry`, undefined, { workspace })
    expectError(refused, 'CONFLICT')
  })
})
