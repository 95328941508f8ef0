import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { dumpTables } from '../../../test/support/dump-tables.ts'
import { createKnowledgeStoreFixture, EVERYONE, NOW } from '../../../test/support/knowledge-store-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { fromId } from '../../platform/lib/id.ts'
import { countFindings } from '../../shared/finding.ts'
import { listChunks, termsOfDocument } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { deleteCollection, updateCollection } from './collection-store.ts'
import { deleteDocument, findDocumentByKey } from './document-store.ts'
import { type IngestDeps, ingestDocument } from './ingest.ts'
import { MAX_CHUNKS_AT_ONCE } from './large-versions.ts'
import { relabelDocument } from './relabel.ts'
import { sweepCollections, sweepVersions } from './sweep.ts'

/** A document with one chunk for each section, each with the word and its number. */
const large = (word: string, sections = MAX_CHUNKS_AT_ONCE + 100): string =>
  Array.from(
    { length: sections },
    (_, at) => `# ${word} ${at}\n\nThe ${word} of section ${at}. ${`Filler${at % 7} words. `.repeat(80)}`,
  ).join('\n\n')

describe.each(testDatabases())('large versions on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { db } = database
  const workspaceId = (await seedWorkspace(db)).workspaceId
  const knowledge = createKnowledgeStoreFixture(database, workspaceId)
  const viewer = knowledge.viewer()
  const collection = await knowledge.collection({ acl: EVERYONE, classification: 'public' })

  const keysFor = async (word: string): Promise<string[]> => [
    ...new Set((await knowledge.found(viewer, word)).map(({ title }) => title)),
  ]
  const stored = async (key: string, { id }: Collection = collection) => {
    const document = await findDocumentByKey(db, workspaceId, id, key)
    if (!document) throw new Error('the document is missing')
    return document
  }
  const put = (key: string, text: string, in_ = collection) => knowledge.put(in_, key, text, { title: key })
  const sweep = async () => {
    do while (await sweepVersions(db, 200));
    while (await sweepCollections(db, 200))
  }
  /** The tables with one of the texts, once jobs have removed what no search reads. */
  const tablesWith = async (...texts: string[]): Promise<string[]> => {
    await sweep()
    const columns = await dumpTables(database.pool)
    return columns.filter(({ text }) => texts.some((one) => text.includes(one))).map(({ table, column }) => `${table}.${column}`)
  }
  const positions = async (key: string): Promise<number[]> => {
    const { id } = await stored(key)
    const { data } = await listChunks(db, workspaceId, id, { from: 0, limit: 5_000 })
    return data.map(({ position }) => position)
  }

  test('a search finds the whole old version until it finds the whole new one', async () => {
    await put('book', large('quokka'))
    const before = await stored('book')
    expect(before).toMatchObject({ version: 1, state: 'indexed', isLarge: true })
    expect(await positions('book')).toEqual(Array.from({ length: before.chunks }, (_, at) => at))
    const transact: IngestDeps['transact'] = async (write) => {
      // All parts of the new version are written.
      expect([await keysFor('quokka'), await keysFor('numbat')]).toEqual([['book'], []])
      expect((await termsOfDocument(db, workspaceId, before.id)).has('numbat')).toBe(false)
      expect(await positions('book')).toHaveLength(before.chunks)
      return knowledge.transact(write)
    }
    const incoming = { key: 'book', name: 'book.md', title: 'book', bytes: Buffer.from(large('numbat', 700)) }
    const deps = { db, clock: { now: () => NOW }, scanText: () => countFindings([]), transact }
    expect(await ingestDocument(deps, workspaceId, collection.id, incoming)).toMatchObject({
      outcome: 'changed',
      documentId: before.id,
    })
    expect([await keysFor('quokka'), await keysFor('numbat')]).toEqual([[], ['book']])
    const after = await stored('book')
    expect(await positions('book')).toEqual(Array.from({ length: after.chunks }, (_, at) => at))
    expect(await tablesWith('quokka')).toEqual([])
    expect(await keysFor('numbat')).toEqual(['book'])
  })

  test('ranks its passages as a document of the same text in a shared partition', async () => {
    const one = await knowledge.collection({ acl: EVERYONE, classification: 'public' })
    const two = await knowledge.collection({ acl: EVERYONE, classification: 'public' })
    await put('ranked', large('bilby'), one)
    for (let at = 0; at < MAX_CHUNKS_AT_ONCE + 100; at += 306) {
      const sections = large('bilby')
        .split('\n\n# ')
        .slice(at, at + 306)
      await put('ranked', `${at === 0 ? '' : '# '}${sections.join('\n\n# ')}`, two).then(async ({ documentId }) => {
        if (at === 0)
          await knowledge.transact((tx) =>
            tx
              .updateTable('knowledge_document')
              .set({ key: 'first' })
              .where('id', '=', fromId('doc', documentId) as string)
              .execute(),
          )
      })
    }
    const hits = async ({ id }: Collection) =>
      (await knowledge.found(viewer, 'bilby 17', [id])).map(({ content, similarity }) => [content, similarity])
    expect((await hits(one)).slice(0, 20)).toEqual((await hits(two)).slice(0, 20))
  })

  test('a hidden one changes no result of others, nor does one that is being written', async () => {
    await put('seen', 'The boodie digs. A boodie hops at night.')
    const hits = () => knowledge.found(viewer, 'boodie night filler3')
    const before = await hits()
    expect(before).not.toEqual([])
    const transact: IngestDeps['transact'] = async (write) => {
      expect(await hits()).toEqual(before)
      return knowledge.transact(write)
    }
    const deps = { db, clock: { now: () => NOW }, scanText: () => countFindings([]), transact }
    const incoming = { key: 'unseen', name: 'x.md', bytes: Buffer.from(large('boodie')), acl: { users: ['ana'] } }
    await ingestDocument(deps, workspaceId, collection.id, incoming)
    expect(await hits()).toEqual(before)
    expect((await knowledge.found(knowledge.viewer({ id: 'ana' }), 'boodie')).length).toBeGreaterThan(MAX_CHUNKS_AT_ONCE)
  })

  test('a small version replaces a large one, and a large one a small one', async () => {
    await put('changing', large('potoroo'))
    await put('changing', 'A short dunnart.')
    expect([await keysFor('potoroo'), await keysFor('dunnart'), await positions('changing')]).toEqual([[], ['changing'], [0]])
    expect((await stored('changing')).isLarge).toBe(false)
    await put('changing', large('pademelon'))
    expect([await keysFor('dunnart'), await keysFor('pademelon')]).toEqual([[], ['changing']])
    await put('changing', 'A short dunnart.')
    expect(await tablesWith('potoroo', 'pademelon')).toEqual([])
    expect(await positions('changing')).toEqual([0])
  })

  test('new labels apply to all of it at once, without another entry', async () => {
    const { documentId } = await put('labelled', large('wombat'))
    const before = await stored('labelled')
    const relabel = (acl: typeof EVERYONE | { users: string[] }) =>
      knowledge.transact((tx) => relabelDocument(tx, workspaceId, documentId, { acl }))
    expect(await relabel({ users: ['ana'] })).toBe('relabelled')
    expect(await keysFor('wombat')).toEqual([])
    expect(await knowledge.found(knowledge.viewer({ id: 'ana' }), 'wombat')).not.toEqual([])
    await relabel(EVERYONE)
    expect(await keysFor('wombat')).toEqual(['labelled'])
    expect((await stored('labelled')).partitionId).toBe(before.partitionId)
  })

  test('is indexed again in the new language of its collection', async () => {
    const own = await knowledge.collection({ acl: EVERYONE, classification: 'public' })
    await put('language', large('Häuser'), own)
    await knowledge.transact((tx) => updateCollection(tx, workspaceId, own.id, { language: 'de' }, NOW))
    await put('language', large('Häuser'), own)
    expect((await stored('language', own)).language).toBe('de')
    expect(await keysFor('Haus')).toEqual(['language'])
    await sweep()
    expect(await keysFor('Haus')).toEqual(['language'])
  })

  test('is deleted with its content, alone and with its collection', async () => {
    const { documentId } = await put('deleted', large('bandicoot'))
    expect(await knowledge.transact((tx) => deleteDocument(tx, workspaceId, documentId))).toBe(true)
    expect(await keysFor('bandicoot')).toEqual([])
    expect(await findDocumentByKey(db, workspaceId, collection.id, 'deleted')).toBeUndefined()
    const own = await knowledge.collection({ acl: EVERYONE, classification: 'public' })
    await put('also deleted', large('bettong'), own)
    await knowledge.transact((tx) => deleteCollection(tx, workspaceId, own.id, NOW))
    expect(await keysFor('bettong')).toEqual([])
    expect(await tablesWith('bandicoot', 'bettong', fromId('doc', documentId) ?? '')).toEqual([])
  })

  test('an interrupted version leaves the one before, and no text', async () => {
    await put('interrupted', 'The first thylacine.')
    const failing: IngestDeps['transact'] = () => Promise.reject(new Error('stopped'))
    const deps = { db, clock: { now: () => NOW }, scanText: () => countFindings([]), transact: failing }
    const ingest = (key: string) =>
      ingestDocument(deps, workspaceId, collection.id, { key, name: 'x.md', bytes: Buffer.from(large('koala')) })
    await expect(ingest('interrupted')).rejects.toThrow('stopped')
    await expect(ingest('never stored')).rejects.toThrow('stopped')
    expect(await stored('never stored')).toMatchObject({ state: 'parsed', version: 0 })
    expect(await tablesWith('koala')).toEqual([])
    expect(await keysFor('thylacine')).toEqual(['interrupted'])
    expect(await stored('interrupted')).toMatchObject({ state: 'indexed', failure: null })
    expect(await stored('never stored')).toMatchObject({ state: 'failed', failure: { code: 'interrupted' } })
  })

  test('a document that is deleted while a version is written stays deleted', async () => {
    const { documentId } = await put('gone', 'The first quoll.')
    const transact: IngestDeps['transact'] = async (write) => {
      await knowledge.transact((tx) => deleteDocument(tx, workspaceId, documentId))
      await sweep()
      return knowledge.transact(write)
    }
    const deps = { db, clock: { now: () => NOW }, scanText: () => countFindings([]), transact }
    // The upload is newer than the deletion.
    const incoming = { key: 'gone', name: 'gone.md', title: 'gone', bytes: Buffer.from(large('kowari')) }
    expect(await ingestDocument(deps, workspaceId, collection.id, incoming)).toMatchObject({ outcome: 'added' })
    expect([await keysFor('quoll'), await keysFor('kowari')]).toEqual([[], ['gone']])
    expect(await tablesWith('quoll')).toEqual([])
    expect(await keysFor('kowari')).toEqual(['gone'])
  })
})
