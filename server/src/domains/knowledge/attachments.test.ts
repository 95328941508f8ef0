import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createKnowledgeStoreFixture } from '../../../test/support/knowledge-store-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { deleteDocument, listDocuments } from './document-store.ts'
import { relabelDocument } from './relabel.ts'

type File = readonly [name: string, content: string | Buffer, type?: string]

/** An e-mail with these files. */
function mailOf(subject: string, ...files: readonly File[]): string {
  const parts = files.map(
    ([name, content, type = 'application/octet-stream']) =>
      `Content-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(content).toString('base64')}`,
  )
  const body = ['Content-Type: text/plain\r\n\r\nSee the files.', ...parts].map((part) => `--limit\r\n${part}\r\n`).join('')
  return `From: ann@example.org\r\nTo: bob@example.org\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=limit\r\n\r\n${body}--limit--\r\n`
}

const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])

describe.each(testDatabases())('attachments on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)
  const knowledge = createKnowledgeStoreFixture(database, workspaceId)
  const collection = (create = {}) => knowledge.collection({ classification: 'public', ...create })
  const put = (target: { id: string }, mail: string, more = {}) =>
    knowledge.put(target, 'mail.eml', mail, { name: 'mail.eml', acl: { users: ['ann'] }, ...more })
  const stored = async ({ id }: { id: string }) => {
    const list = await listDocuments(database.db, workspaceId, { collectionId: id, limit: 200 })
    return list?.data ?? []
  }
  const keys = async (target: { id: string }) => (await stored(target)).map(({ key, state }) => `${key} ${state}`).toSorted()
  const ann = knowledge.viewer({ id: 'ann' })

  test('each is a document of its own, with the labels and the source of the e-mail', async () => {
    const target = await collection()
    const prices = Buffer.from(mailOf('Inner', ['prices.csv', 'name,price\nfluorite,7\n']))
    const mail = mailOf(
      'Offer',
      ['offer.md', '# Offer\n\nWord: gypsum.'],
      ['inner.eml', prices],
      ['plan.png', PICTURE],
      ['empty.txt', ' '],
    )
    const { documentId, warnings, attachments } = await put(target, mail, { source: 'the mailbox' })
    expect(warnings).toEqual([{ kind: 'attachment', detail: 'plan.png', count: 1 }])
    expect(attachments.map(({ key, outcome, failure }) => [key, outcome, failure?.code ?? null])).toEqual([
      ['mail.eml/offer.md', 'added', null],
      ['mail.eml/inner.eml', 'added', null],
      ['mail.eml/inner.eml/prices.csv', 'added', null],
      ['mail.eml/empty.txt', 'failed', 'empty'],
    ])
    const [first, ...others] = await stored(target)
    expect(first).toMatchObject({ id: documentId, parentId: null })
    expect(others).toHaveLength(4)
    for (const other of others)
      expect(other).toMatchObject({ parentId: documentId, source: 'the mailbox', acl: { users: ['ann'] } })
    expect(await knowledge.found(ann, 'gypsum')).toMatchObject([{ title: 'Offer', source: 'the mailbox' }])
    expect(await knowledge.found(ann, 'fluorite')).toHaveLength(1)
    expect(await knowledge.found(knowledge.viewer({ id: 'bob' }), 'gypsum fluorite')).toEqual([])
  })

  test('are replaced with the e-mail, and deleted when it no longer has them', async () => {
    const target = await collection()
    await put(target, mailOf('A', ['same.md', 'Word: halite.'], ['other.md', 'Word: jasper.'], ['gone.md', 'Word: kyanite.']))
    const { attachments } = await put(target, mailOf('B', ['same.md', 'Word: halite.'], ['other.md', ' '], ['new.md', 'New.']))
    expect(attachments.map(({ key, outcome }) => `${key} ${outcome}`)).toEqual([
      'mail.eml/same.md unchanged',
      'mail.eml/other.md failed',
      'mail.eml/new.md added',
      'mail.eml/gone.md deleted',
    ])
    expect(await keys(target)).toEqual([
      'mail.eml indexed',
      'mail.eml/new.md indexed',
      // Its last version stays searchable.
      'mail.eml/other.md failed',
      'mail.eml/same.md indexed',
    ])
    expect(await knowledge.found(ann, 'jasper')).toHaveLength(1)
    expect(await knowledge.found(ann, 'kyanite')).toEqual([])
    const { outcome } = await put(target, mailOf('C'))
    expect(outcome).toBe('changed')
    expect(await keys(target)).toEqual(['mail.eml indexed'])
    expect(await knowledge.found(ann, 'halite jasper')).toEqual([])
  })

  test('have the labels of the e-mail after each change of them, and are deleted with it', async () => {
    const target = await collection()
    const mail = mailOf('Labels', ['labelled.md', 'Word: lazurite.'])
    const { documentId, attachments } = await put(target, mail)
    const bob = knowledge.viewer({ id: 'bob' })
    await put(target, mail, { acl: { users: ['bob'] } })
    expect([await knowledge.found(ann, 'lazurite'), (await knowledge.found(bob, 'lazurite')).length]).toEqual([[], 1])
    const relabel = (id: string) =>
      knowledge.transact((tx) => relabelDocument(tx, workspaceId, id, { acl: { users: ['ann'] }, regulations: ['gdpr'] }))
    expect(await relabel(attachments[0]?.documentId ?? '')).toBe('attachment')
    expect((await knowledge.found(bob, 'lazurite')).length).toBe(1)
    expect(await relabel(documentId)).toBe('relabelled')
    expect(await knowledge.found(bob, 'lazurite')).toEqual([])
    expect(await knowledge.found(ann, 'lazurite')).toMatchObject([{ regulations: ['gdpr'] }])
    await knowledge.transact((tx) => deleteDocument(tx, workspaceId, documentId))
    expect(await stored(target)).toEqual([])
    expect(await knowledge.found(ann, 'lazurite')).toEqual([])
  })

  test('a document of the same key is not replaced, and the attachment is a warning', async () => {
    const target = await collection()
    await knowledge.put(target, 'mail.eml/own.md', 'Word: malachite.', { acl: { users: ['ann'] } })
    const { warnings, attachments } = await put(target, mailOf('Taken', ['own.md', 'Word: nephrite.']))
    expect(attachments).toEqual([])
    expect(warnings).toEqual([{ kind: 'attachment', detail: 'mail.eml/own.md', count: 1 }])
    expect(await knowledge.found(ann, 'malachite')).toHaveLength(1)
    expect(await knowledge.found(ann, 'nephrite')).toEqual([])
    await put(target, mailOf('Without'))
    expect(await keys(target)).toEqual(['mail.eml indexed', 'mail.eml/own.md indexed'])
  })

  test('are read in three depths, and at most 100 of them', async () => {
    const target = await collection()
    let nested = mailOf('Depth 5', ['deepest.md', 'Deepest.'])
    for (const depth of [4, 3, 2, 1]) nested = mailOf(`Depth ${depth}`, [`${depth}.eml`, nested, 'application/x-mail'])
    const { attachments } = await put(target, nested)
    expect(attachments.map(({ key }) => key)).toEqual(['mail.eml/1.eml', 'mail.eml/1.eml/2.eml', 'mail.eml/1.eml/2.eml/3.eml'])
    const deepest = (await stored(target)).find(({ key }) => key.endsWith('3.eml'))
    expect(deepest).toMatchObject({ state: 'indexed' })
    const files = Array.from({ length: 102 }, (_, at): File => [`${at}.txt`, `Text ${at}.`])
    const many = await put(await collection(), mailOf('Many', ...files))
    expect(many.attachments).toHaveLength(100)
    expect(many.warnings?.map(({ detail }) => detail)).toEqual(['100.txt', '101.txt'])
  })
})
