import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { dumpTables } from '../../../test/support/dump-tables.ts'
import { createKnowledgeStoreFixture, EVERYONE, NOW } from '../../../test/support/knowledge-store-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { countFindings } from '../../shared/finding.ts'
import type { Collection } from './collection.ts'
import { deleteCollection } from './collection-store.ts'
import { deleteDocument, findDocumentByKey } from './document-store.ts'
import { loadChunkTexts } from './passages.ts'
import { sweepCollections } from './sweep.ts'

const scanText = (text: string) =>
  countFindings(text.includes('obey') ? [[{ type: 'injection.override' as const, start: 0, end: 1 }]] : [])

describe.each(testDatabases())('document store on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const workspaceId = (await seedWorkspace(database.db)).workspaceId
  const knowledge = createKnowledgeStoreFixture(database, workspaceId, scanText)

  /** The columns that contain one of the texts. */
  const columnsWith = async (...texts: string[]): Promise<string[]> => {
    const columns = await dumpTables(database.pool)
    return columns.filter(({ text }) => texts.some((one) => text.includes(one))).map(({ table, column }) => `${table}.${column}`)
  }
  const chunkIds = async (document: string): Promise<string[]> => {
    const uuid = fromId('doc', document) ?? ''
    const rows = await database.db.selectFrom('knowledge_chunk').select('id').where('document_id', '=', uuid).execute()
    return rows.map(({ id }) => id)
  }

  const documentsIn = ({ id }: Collection) =>
    database.db
      .selectFrom('knowledge_document')
      .select('id')
      .where('collection_id', '=', fromId('col', id) ?? '')
      .execute()

  test('deleteDocument: removes all its data and keeps other documents', async () => {
    const collection = await knowledge.collection({ acl: EVERYONE, classification: 'public' })
    const text = 'The quagga of eriskay obey.'
    const { documentId } = await knowledge.put(collection, 'key-of-eriskay', text, { acl: { users: ['user-of-eriskay'] } })
    await knowledge.put(collection, 'other', 'The quagga stays.')
    const ids = [fromId('doc', documentId) ?? '', ...(await chunkIds(documentId))]
    expect(await columnsWith('eriskay', ...ids)).not.toEqual([])
    expect(await knowledge.transact((tx) => deleteDocument(tx, workspaceId, documentId))).toBe(true)
    expect(await knowledge.transact((tx) => deleteDocument(tx, workspaceId, documentId))).toBe(false)
    expect(await columnsWith('eriskay', ...ids)).toEqual([])
    expect(await knowledge.found(knowledge.viewer(), 'quagga')).toHaveLength(1)
  })

  test('sweepCollections: removes a hidden, deleted collection in parts', async () => {
    const kept = await knowledge.collection({ acl: EVERYONE, classification: 'public' })
    await knowledge.put(kept, 'kept', 'The okapi stays.')
    const collection = await knowledge.collection({ acl: EVERYONE, classification: 'public', name: 'collection-of-foula' })
    const ids = [fromId('col', collection.id) ?? '']
    for (let at = 0; at < 5; at++) {
      const { documentId } = await knowledge.put(collection, `foula-${at}`, `The okapi of foula ${at}.`)
      ids.push(fromId('doc', documentId) ?? '', ...(await chunkIds(documentId)))
    }
    expect(await knowledge.found(knowledge.viewer(), 'okapi')).toHaveLength(6)
    expect(await knowledge.transact((tx) => deleteCollection(tx, workspaceId, collection.id, NOW))).toBe(true)
    expect(await knowledge.transact((tx) => deleteCollection(tx, workspaceId, collection.id, NOW))).toBe(false)
    expect(await knowledge.found(knowledge.viewer(), 'okapi')).toHaveLength(1)
    expect(await findDocumentByKey(database.db, workspaceId, collection.id, 'foula-0')).toBeUndefined()
    // Other tests delete collections too, so some rounds may remove their documents.
    const left = [(await documentsIn(collection)).length]
    while (await sweepCollections(database.db, 2)) left.push((await documentsIn(collection)).length)
    expect([...new Set(left)]).toEqual([5, 3, 1, 0])
    expect(await columnsWith('foula', ...ids)).toEqual([])
    expect(await knowledge.found(knowledge.viewer(), 'okapi')).toHaveLength(1)
  })

  test('sweepCollections: removes a document above the limit alone', async () => {
    const collection = await knowledge.collection({ name: 'collection-of-unst' })
    for (const key of ['unst-0', 'unst-1', 'unst-2']) await knowledge.put(collection, key, `The okapi of ${key}. `.repeat(400))
    await knowledge.transact((tx) => deleteCollection(tx, workspaceId, collection.id, NOW))
    const left = [(await documentsIn(collection)).length]
    while (await sweepCollections(database.db, 3)) left.push((await documentsIn(collection)).length)
    expect([...new Set(left)]).toEqual([3, 2, 1, 0])
  })

  test('loadChunkTexts: includes title and headings', async () => {
    const { documentId } = await knowledge.put(await knowledge.collection(), 'k', '# One\n\nWords.', { title: 'Title' })
    const ids = await chunkIds(documentId)
    expect([...(await loadChunkTexts(database.db, [...ids, fromId('chk', newId('chk')) ?? '']))]).toEqual([
      [ids[0], { text: 'Title\nOne\n\n# One\n\nWords.', source: { id: documentId, version: 1 } }],
    ])
  })
})
