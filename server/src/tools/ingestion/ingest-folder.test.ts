import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedWorkspace, TEST_SECRET_KEY } from '../../../test/support/seed.ts'
import { testFolder } from '../../../test/support/temporary-folder.ts'
import { searchRecords } from '../../domains/audit/search-records.ts'
import { createCollection } from '../../domains/knowledge/collection-store.ts'
import { listDocuments } from '../../domains/knowledge/document-store.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { type FileOutcome, type Folder, ingestFolder } from './ingest-folder.ts'

describe.each(testDatabases())('ingestFolder on $name', async ({ open }) => {
  let path: string
  let workspaceId: string
  let collectionId: string
  const database = await closeAfterAll(open())
  beforeEach(async () => {
    path = testFolder()
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    const made = await database.db
      .transaction()
      .execute((tx) => createCollection(tx, workspaceId, { name: 'files' }, systemClock.now()))
    collectionId = made?.id ?? ''
  })

  const put = (key: string, content: string | Uint8Array): void => {
    mkdirSync(join(path, key, '..'), { recursive: true })
    writeFileSync(join(path, key), content)
  }
  const run = (more: Partial<Folder> = {}, signal?: AbortSignal) => {
    const deps = { database, clock: systemClock, workspaceBox: secretBox(TEST_SECRET_KEY, 'workspace') }
    return ingestFolder(deps, { path, workspaceId, collectionId, ...more }, signal)
  }
  const told = async (more: Partial<Folder> = {}): Promise<string[]> =>
    (await Array.fromAsync(run(more))).map(({ key, outcome, error }) => `${key} ${error?.code ?? outcome}`)
  const documents = async () => {
    const found = await listDocuments(database.db, workspaceId, { collectionId, limit: 1_000 })
    return (found?.data ?? []).map(({ key, version, acl, classification }) => ({ key, version, acl, classification }))
  }
  const actions = async (): Promise<(string | undefined)[]> => {
    const { data: records } = await searchRecords(database.db, workspaceId, { limit: 100 })
    return records.map(({ change }) => change?.action).reverse()
  }

  test('reports unreadable files with the reason and ingests the others', async () => {
    put('a.md', '# A\n\nText.')
    put('broken.pdf', '%PDF-1.4\nnothing')
    put('empty.md', '')
    put('picture.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47]))
    put('sub/z.csv', 'name,city\nAnn,Berlin\n')
    put('huge.txt', 'x')
    truncateSync(join(path, 'huge.txt'), 3 * 2 ** 30)
    put('new\nline.md', 'Text.')
    expect(await told()).toEqual([
      'a.md added',
      'broken.pdf broken',
      'empty.md empty',
      'huge.txt too_large',
      'new\nline.md unsupported',
      'picture.png unsupported',
      'sub/z.csv added',
    ])
    const failed = ['broken.pdf', 'empty.md', 'huge.txt', 'picture.png']
    expect((await documents()).map(({ key, version }) => `${key} ${version}`).toSorted()).toEqual(
      [...failed.map((key) => `${key} 0`), 'a.md 1', 'sub/z.csv 1'].toSorted(),
    )
    expect((await actions()).toSorted()).toEqual([...Array(2).fill('document.create'), ...Array(4).fill('document.fail')])
    const { data } = await searchRecords(database.db, workspaceId, { limit: 100 })
    const failures = data.flatMap(({ change }) => change?.failure ?? [])
    expect(failures.toSorted()).toEqual(['broken', 'empty', 'too_large', 'unsupported'])
    // A known failure is not recorded again.
    await told()
    expect(await actions()).toHaveLength(6)
  })

  test('changes and records nothing when files are unchanged, and updates changed files', async () => {
    for (const key of ['a.md', 'b.md', 'c.md']) put(key, key)
    expect(await told()).toEqual(['a.md added', 'b.md added', 'c.md added'])
    expect(await told()).toEqual(['a.md unchanged', 'b.md unchanged', 'c.md unchanged'])
    put('b.md', 'other')
    expect(await told({ labels: {} })).toEqual(['a.md unchanged', 'b.md changed', 'c.md unchanged'])
    expect(await told({ labels: { acl: { everyone: true }, classification: 'public' } })).toEqual(
      ['a.md', 'b.md', 'c.md'].map((key) => `${key} relabelled`),
    )
    expect(await told()).toEqual(['a.md unchanged', 'b.md unchanged', 'c.md unchanged'])
    expect(await documents()).toContainEqual({ key: 'b.md', version: 2, acl: { everyone: true }, classification: 'public' })
    expect(await actions()).toHaveLength(7)
  })

  test('reads a file again that a version without warnings has read, also if it is applied', async () => {
    const applied: string[] = []
    const ledger = {
      isApplied: (key: string) => applied.includes(key),
      recordApplied: async (_: unknown, key: string) => void applied.push(key),
    }
    put('a.html', '<p>Text</p><p hidden>Hidden</p>')
    put('b.md', 'Text')
    await told({ ledger })
    await database.db.updateTable('knowledge_document').set({ warnings: null }).where('key', '=', 'a.html').execute()
    const again = await Array.fromAsync(run({ ledger }))
    expect(again.map(({ key, outcome, warnings }) => [key, outcome, warnings?.length])).toEqual([
      ['a.html', 'changed', 1],
      ['b.md', 'unchanged', 0],
    ])
    expect(await told({ ledger })).toEqual(['a.html unchanged', 'b.md unchanged'])
  })

  test('continues without duplicates after an interruption', async () => {
    for (let at = 0; at < 12; at++) put(`${String(at).padStart(2, '0')}.md`, `Text ${at}`)
    const first: FileOutcome[] = []
    for await (const outcome of run()) if (first.push(outcome) === 5) break
    const ended = new AbortController()
    ended.abort()
    expect(await Array.fromAsync(run({}, ended.signal))).toEqual([])
    const second = await Array.fromAsync(run())
    expect(second.slice(0, 5).map(({ outcome }) => outcome)).toEqual(Array(5).fill('unchanged'))
    expect(second.filter(({ outcome }) => outcome === 'added').length).toBeGreaterThanOrEqual(6)
    expect((await documents()).map(({ key }) => key).sort()).toEqual(second.map(({ key }) => key))
    expect(await actions()).toHaveLength(12)
  })

  test('gives the same result when two run at the same time', async () => {
    for (let at = 0; at < 8; at++) put(`${at}.md`, `Text ${at}`)
    const both = await Promise.all([told(), told()])
    expect(both.flat().filter((line) => line.endsWith(' added'))).toHaveLength(8)
    expect(await documents()).toHaveLength(8)
    expect(await actions()).toHaveLength(8)
  })

  test('keeps documents without a file unless deleteMissing is set', async () => {
    for (const key of ['a.md', 'b.md', 'sub/c.md', 'bad.md']) put(key, key)
    await told()
    rmSync(join(path, 'a.md'))
    rmSync(join(path, 'sub'), { recursive: true })
    put('bad.md', '')
    expect(await told()).toEqual(['b.md unchanged', 'bad.md empty'])
    expect(await documents()).toHaveLength(4)
    expect((await told({ deleteMissing: true, force: true })).sort()).toEqual([
      'a.md deleted',
      'b.md unchanged',
      'bad.md empty',
      'sub/c.md deleted',
    ])
    expect((await documents()).map(({ key }) => key).sort()).toEqual(['b.md', 'bad.md'])
    expect((await actions()).slice(-2)).toEqual(['document.delete', 'document.delete'])
  })

  test('deleteMissing: deletes all documents of an empty folder only with force, and none if the folder is missing', async () => {
    put('a.md', 'a')
    put('b.md', 'b')
    await told()
    for (const key of ['a.md', 'b.md']) rmSync(join(path, key))
    await expect(told({ deleteMissing: true })).rejects.toThrow(
      'The folder contains no files, so no document was deleted. Check that the folder is mounted and the path is correct, or use --force to delete the documents.',
    )
    expect(await documents()).toHaveLength(2)
    rmSync(path, { recursive: true })
    await expect(told({ deleteMissing: true, force: true })).rejects.toThrow('ENOENT')
    expect(await documents()).toHaveLength(2)
    mkdirSync(path)
    expect((await told({ deleteMissing: true, force: true })).sort()).toEqual(['a.md deleted', 'b.md deleted'])
    expect(await documents()).toEqual([])
  })

  test('deleteMissing: deletes below an empty folder or a broken link only with force', async () => {
    for (let at = 0; at < 20; at++) put(`${at}.md`, `Text ${at}`)
    put('share/a.md', 'a')
    await told()
    rmSync(join(path, 'share/a.md'))
    await expect(told({ deleteMissing: true })).rejects.toThrow(
      'share is empty or a broken link, but documents exist for it, so no document was deleted. Check that it is mounted, or use --force to delete the documents.',
    )
    rmSync(join(path, 'share'), { recursive: true })
    symlinkSync(join(path, 'nowhere'), join(path, 'share'))
    await expect(told({ deleteMissing: true })).rejects.toThrow('share is empty or a broken link')
    expect(await documents()).toHaveLength(21)
    expect((await told({ deleteMissing: true, force: true })).filter((line) => line.endsWith(' deleted'))).toEqual([
      'share/a.md deleted',
    ])
    // An empty folder that never had documents is no reason to refuse.
    rmSync(join(path, '0.md'))
    expect((await told({ deleteMissing: true })).filter((line) => line.endsWith(' deleted'))).toEqual(['0.md deleted'])
  })

  test('deleteMissing: deletes more than 20 % of the documents only with force', async () => {
    for (let at = 0; at < 10; at++) put(`${at}.md`, `Text ${at}`)
    await told()
    for (const at of [0, 1, 2]) rmSync(join(path, `${at}.md`))
    // Documents added at the same time do not reduce the share.
    for (let at = 10; at < 30; at++) put(`${at}.md`, `Text ${at}`)
    await expect(told({ deleteMissing: true })).rejects.toThrow(
      'The files of 3 of 10 documents are missing, which is more than 20 %, so no document was deleted. Check the folder, or use --force to delete the documents.',
    )
    expect(await documents()).toHaveLength(30)
    put('2.md', 'Text 2')
    const deleted = (await told({ deleteMissing: true })).filter((line) => line.endsWith(' deleted'))
    expect(deleted.sort()).toEqual(['0.md deleted', '1.md deleted'])
    for (let at = 2; at < 12; at++) rmSync(join(path, `${at}.md`))
    expect((await told({ deleteMissing: true, force: true })).filter((line) => line.endsWith(' deleted'))).toHaveLength(10)
  })

  test('prefix: folders with equal files keep apart, and deleteMissing reads only the documents below it', async () => {
    put('README.md', 'First.')
    put('a.md', 'a')
    await told({ prefix: 'docs/first' })
    rmSync(join(path, 'a.md'))
    put('README.md', 'Second.')
    expect(await told({ prefix: 'docs/second' })).toEqual(['docs/second/README.md added'])
    await told({ prefix: 'docs/second-edition' })
    rmSync(join(path, 'README.md'))
    await expect(told({ prefix: 'docs/second', deleteMissing: true })).rejects.toThrow('The folder contains no files')
    expect(await told({ prefix: 'docs/second', deleteMissing: true, force: true })).toEqual(['docs/second/README.md deleted'])
    expect((await documents()).map(({ key }) => key).toSorted()).toEqual([
      'docs/first/README.md',
      'docs/first/a.md',
      'docs/second-edition/README.md',
    ])
  })

  test('deleteMissing: keeps the attachments of an e-mail, which have no files', async () => {
    const part = 'Content-Disposition: attachment; filename="a.csv"\r\n\r\nname,price\r\nshoe,70'
    const head = 'From: ann@example.org\r\nSubject: Offer\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x'
    put('mail.eml', `${head}\r\n\r\n--x\r\n\r\nSee.\r\n--x\r\n${part}\r\n--x--\r\n`)
    put('b.md', 'b')
    await told()
    expect(await told({ deleteMissing: true })).toEqual(['b.md unchanged', 'mail.eml unchanged'])
    expect((await documents()).map(({ key }) => key).toSorted()).toEqual(['b.md', 'mail.eml', 'mail.eml/a.csv'])
    expect(await actions()).toEqual(['document.create', 'document.create', 'document.create'])
    rmSync(join(path, 'mail.eml'))
    expect(await told({ deleteMissing: true, force: true })).toEqual(['b.md unchanged', 'mail.eml deleted'])
    expect((await documents()).map(({ key }) => key)).toEqual(['b.md'])
  })

  test('fails when the collection is deleted', async () => {
    put('a.md', 'a')
    await expect(told({ collectionId: 'col_01h455vb4pex5vsknk084sn02q' })).rejects.toThrow('deleted during the ingestion')
  })
})
