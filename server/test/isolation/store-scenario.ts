import { sql } from 'kysely'
import { expect } from 'vitest'
import { PART_BYTES, type StoredFile } from '../../src/domains/knowledge/upload-parts.ts'
import { postingsOf } from '../../src/domains/retrieval/posting-store.ts'
import { parseQuery } from '../../src/domains/retrieval/query.ts'
import type { Scope } from '../../src/domains/retrieval/scope.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { fromId, newId, newUuid } from '../../src/platform/lib/id.ts'
import { secretBox } from '../../src/platform/lib/secret-box.ts'
import { countFindings } from '../../src/shared/finding.ts'
import { TEST_SECRET_KEY } from '../support/seed.ts'
import { changeOwners, eraseMemories, storeMemories } from './memory-scenario.ts'
import { ALL_ALLOWED, createScenario, NOW, type Owner, PAGE, type Scenario } from './scenario.ts'
import type { StoreCalls } from './store-calls.ts'
import { writeVersions } from './version-scenario.ts'

const scanText = () => countFindings([])

const FAILURE = { code: 'empty', message: 'no text' }

/** Calls every store function of knowledge, memory and retrieval for one Workspace. Adds ids that it creates to `keys`. */
export async function runStoreScenario(database: Database, owner: Owner, { call }: StoreCalls, keys: Set<string>): Promise<void> {
  const scenario = createScenario(database, owner, call, keys)
  const documents = await createDocuments(scenario)
  await searchDocuments(scenario)
  await changeDocuments(scenario, documents)
  await indexEntries(scenario)
  const memoryId = await storeMemories(scenario)
  await changeOwners(scenario)
  await eraseMemories(scenario, memoryId)
}

/** Creates a collection with documents and reads both. */
async function createDocuments({ db, call, workspaceId, transact }: Scenario) {
  const create = { name: 'collection', classification: 'internal', acl: { everyone: true } }
  const { id: collectionId } = await transact((tx) =>
    call<{ id: string }>('knowledge/collection-store.createCollection', tx, workspaceId, create, NOW),
  )
  const ingest = async (text: string, more: object = {}) => {
    const incoming = { key: 'page', name: 'page.md', bytes: Buffer.from(text), ...more }
    const deps = { db, clock: { now: () => NOW }, scanText, transact }
    return (await call<{ documentId: string }>('knowledge/ingest.ingestDocument', deps, workspaceId, collectionId, incoming))
      .documentId
  }
  const documentId = await ingest('amber and beryl')
  await ingest('amber and coral')
  await ingest('amber and coral', { acl: { users: ['mara'] } })
  const other = await ingest('something else', { key: 'other' })
  await call('knowledge/collection-store.findCollection', db, workspaceId, collectionId)
  await call('knowledge/collection-store.findCollectionByName', db, workspaceId, 'collection')
  await call('knowledge/collection-store.listCollections', db, workspaceId, { ...PAGE, after: newId('col') })
  await transact((tx) =>
    call('knowledge/collection-store.updateCollection', tx, workspaceId, collectionId, { description: 'x' }, NOW),
  )
  const collection = await transact((tx) =>
    call<object>('knowledge/collection-store.lockCollection', tx, workspaceId, collectionId),
  )
  await call('knowledge/document-store.findDocument', db, workspaceId, documentId)
  await call('knowledge/document-store.findDocumentByKey', db, workspaceId, collectionId, 'page')
  await call('knowledge/document-store.listDocuments', db, workspaceId, { ...PAGE, collectionId, flagged: true })
  await transact((tx) => call('knowledge/document-store.clearFlags', tx, workspaceId, documentId))
  const held = await transact((tx) =>
    call<{ document: { id: string; title: string; partitionId: number } }>(
      'knowledge/document-store.lockDocument',
      tx,
      workspaceId,
      documentId,
    ),
  )
  await call('knowledge/chunk-store.documentsOf', db, fromId('ws', workspaceId), [fromId('ws', workspaceId)])
  await call('knowledge/chunk-store.listChunks', db, workspaceId, documentId, { from: 0, limit: 10 })
  await call('knowledge/chunk-store.termsOfDocument', db, workspaceId, documentId)
  return { collectionId, collection, documentId, otherDocumentId: other, locked: held }
}

async function searchDocuments({ db, call, workspaceId, viewer, uuid, ranker }: Scenario): Promise<void> {
  const visible = await call<{ id: string }[]>('knowledge/visibility.visiblePartitions', db, viewer, {})
  const ranked = await call<{ id: string }[]>('retrieval/lexical.rankLexically', db, uuid, visible, { text: 'amber corall' }, 10)
  expect(ranked).toHaveLength(1)
  expect(await call('knowledge/passages.loadPassages', db, workspaceId, visible, ranked)).toHaveLength(1)
  await call(
    'knowledge/passages.loadChunkTexts',
    db,
    ranked.map(({ id }) => id),
  )
  await call(
    'knowledge/passages.loadChunkEntries',
    db,
    ranked.map(({ id }) => id),
  )
  await call('knowledge/visibility.hiddenPartitions', db, viewer, {})
  await call('knowledge/denied-documents.withoutDenied', db, workspaceId, visible, ALL_ALLOWED)
  const chunks = sql`select unnest(${ranked.map(({ id }) => id)}::uuid[])`
  await call('retrieval/denied-entries.deniedEntries', db, chunks)
  await call('knowledge/search.searchKnowledge', { db, ranker }, viewer, { text: 'amber', collections: undefined })
  const scope = await call<Scope>('retrieval/scope.readScope', db, uuid, visible)
  const ids = [...scope.languages.keys()]
  const legacy = new Set(ids)
  await call('retrieval/pending-entries.readPending', db, ids)
  await call('retrieval/posting-lists.readLists', db, ['amber'], ids, legacy)
  await call(
    'retrieval/posting-lists.readBlocks',
    db,
    ['amber'],
    ids.map((partition) => ({ partition, block: 0 })),
    legacy,
  )
  await call('retrieval/posting-lists.countListed', db, ['amber'], ids, legacy)
  await call('retrieval/fuzzy.findSimilar', db, scope, parseQuery({ text: 'corrall' }, ['en']))
  await call('retrieval/posting-source.visibleTerms', db, scope, ['coral'])
}

/** Relabels, moves and deletes the documents. */
async function changeDocuments(
  scenario: Scenario,
  { collectionId, collection, documentId, otherDocumentId, locked }: Awaited<ReturnType<typeof createDocuments>>,
): Promise<void> {
  const { db, call, workspaceId, uuid, viewer, transact } = scenario
  await transact((tx) =>
    call('knowledge/relabel.relabelDocument', tx, workspaceId, documentId, { classification: 'confidential' }),
  )
  await transact(async (tx) => {
    const { document } = locked
    const labels = { classification: 'public', acl: null, limits: { classification: null, acl: null } }
    const place = await call<{ partition: { id: number } }>('knowledge/partitions.placeFor', tx, collection, labels)
    await call('knowledge/partitions.sharedPlace', tx, collection, labels)
    const other = await call<{ partitionId: number }>('knowledge/document-store.findDocument', tx, workspaceId, otherDocumentId)
    const holder = { workspace: uuid, document: String(fromId('doc', otherDocumentId)), title: 'x' }
    await call('knowledge/chunk-store.moveChunks', tx, holder, other.partitionId, place)
    await call('knowledge/partitions.ownPartitionIfLarge', tx, collection, place, labels)
    await call('knowledge/gather.gatherIfLarge', tx, collection, place, labels)
    await call('knowledge/chunk-store.removeChunks', tx, uuid, holder.document, place.partition.id)
    await call('knowledge/chunk-store.addChunks', tx, holder, place, [
      { position: 0, headings: [], content: 'something else', tokens: 2, flagged: false },
    ])
    await call('knowledge/partitions.deleteIfEmpty', tx, workspaceId, document.partitionId)
    const stored = await call<object>('knowledge/document-store.findDocument', tx, workspaceId, otherDocumentId)
    await call('knowledge/relabel.relabel', tx, collection, stored, { classification: 'restricted' })
  })
  await writeVersions(scenario, { collectionId, collection, key: 'other' })
  await uploadDocuments({ db, call, workspaceId, transact }, collectionId, collection)
  const selection = { source: 'upload' }
  await call('knowledge/delete-documents.countSelected', db, workspaceId, collectionId, selection)
  await transact((tx) => call('knowledge/delete-documents.deleteSelected', tx, workspaceId, collectionId, selection, 10))
  await copySource({ db, call, workspaceId, viewer, transact }, collectionId)
  await transact((tx) => call('knowledge/document-store.deleteDocument', tx, workspaceId, documentId))
  await transact((tx) => call('knowledge/collection-store.deleteCollection', tx, workspaceId, collectionId, NOW))
  while (await call<boolean>('knowledge/sweep.sweepCollections', db, 10));
}

async function indexEntries({ db, call, keys, uuid, transact }: Scenario): Promise<void> {
  await transact(async (tx) => {
    const partition = await call<{ id: number }>('retrieval/partition.openPartition', tx, uuid, 'knowledge', 'x', 'en')
    const entry = { id: crypto.randomUUID(), title: '', text: 'amber' }
    await call('retrieval/entries.addEntries', tx, partition, [entry])
    keys.add(String(partition.id)).add(entry.id)
    await call('retrieval/partition.lockPartitions', tx, [partition.id])
    const postings = postingsOf([{ number: 7, terms: new Map([['coral', 1]]), length: 1 }])
    await call('retrieval/posting-store.addPostings', tx, partition.id, postings)
    await call('retrieval/posting-store.removePostings', tx, partition.id, [{ number: 7, terms: ['coral'] }])
    await call('retrieval/legacy-postings.removeLegacyPostings', tx, [{ partition_id: partition.id, number: 7, terms: 'coral' }])
    await call('retrieval/entries.takeNumbers', tx, partition.id, { entries: 0, length: 0, numbers: 1 })
    await call('retrieval/merge.mergeBeyond', tx, partition.id, 10_000)
    await call('retrieval/merge.purgePartitions', tx, [partition.id])
    const other = await call<{ id: number }>('retrieval/partition.openPartition', tx, uuid, 'knowledge', 'y', 'en')
    keys.add(String(other.id))
    await call('retrieval/absorb-partition.absorbPartition', tx, partition, other, ['x'])
    await call('retrieval/entries.removeEntries', tx, [entry.id])
    await call('retrieval/entries.eraseEntries', tx, [entry.id])
  })
  await call('knowledge/share-partitions.shareSmallPartition', db)
  await call('knowledge/share-partitions.shareSmallPartitions', db)
  await call('retrieval/merge.mergePending', db, 10)
  await call('retrieval/merge.purgeRemoved', db, 10)
  await call('retrieval/reindex.reindexOutdated', db, { knowledge: async () => [], memory: async () => [] }, 10)
}

/** Creates, claims, runs and deletes a source of documents. */
async function copySource(
  { db, call, workspaceId, viewer, transact }: Pick<Scenario, 'db' | 'call' | 'workspaceId' | 'viewer' | 'transact'>,
  collectionId: string,
): Promise<void> {
  const deps = { box: secretBox(TEST_SECRET_KEY, 'source'), now: NOW }
  const create = { name: 'wiki', kind: 's3', url: 'https://s3.example.com/wiki', secret: 'x' }
  const { id } = await transact((tx) =>
    call<{ id: string }>('knowledge/source-store.createSource', tx, workspaceId, collectionId, create, deps),
  )
  await call('knowledge/source-store.listSources', db, workspaceId, { ...PAGE, collectionId })
  const [claimed] = await call<object[]>('knowledge/source-store.claimSources', db, NOW, 10)
  await call('knowledge/source-store.announceFile', db, claimed, 'wiki/a.md')
  await call('knowledge/source-store.storeFileVersion', db, claimed, 'wiki/a.md', '1')
  await call('knowledge/source-store.listFileVersions', db, workspaceId, id)
  await call('knowledge/source-store.renewSource', db, claimed, NOW)
  await call('knowledge/source-store.releaseSource', db, claimed)
  await call('knowledge/source-store.finishSource', db, claimed, { result: {}, failure: null, cursor: 'x', now: NOW })
  await transact((tx) => call('knowledge/source-store.requestSync', tx, workspaceId, id, { force: true, now: NOW }))
  await transact((tx) => call('knowledge/source-store.updateSource', tx, workspaceId, id, { folder: 'a/' }, deps))
  const collection = { workspaceId, id: collectionId }
  await call('knowledge/source-list.findSourceList', db, collection, 'wiki/a.md')
  await call('knowledge/source-list.withSourceList', db, collection, { key: 'wiki/a.md' })
  const acl = { users: ['mara'] }
  await transact((tx) => call('knowledge/source-store.updateSource', tx, workspaceId, id, { acl }, deps))
  await call('knowledge/relabel-sources.entriesOfFormerLists', db, viewer)
  await call('knowledge/relabel-sources.hasFormerList', db, viewer, newId('doc'))
  await call('knowledge/relabel-sources.relabelDocumentsOfSources', db, 10)
  await call('knowledge/source-store.findSource', db, workspaceId, id)
  await transact((tx) => call('knowledge/source-store.removeFileVersions', tx, workspaceId, id, ['wiki/a.md']))
  await transact((tx) => call('knowledge/source-store.deleteSource', tx, workspaceId, id))
}

/** Queues, claims and fails uploads, and stores attachments. */
async function uploadDocuments(
  { db, call, workspaceId, transact }: Pick<Scenario, 'db' | 'call' | 'workspaceId' | 'transact'>,
  collectionId: string,
  collection: object,
): Promise<void> {
  const incoming = { key: 'upload', name: 'upload.md', bytes: Buffer.from('text') }
  const large = new Uint8Array(PART_BYTES + 1)
  const parts = await call<StoredFile>('knowledge/upload-parts.storeUploadFile', db, workspaceId, large, NOW)
  await call('knowledge/upload-parts.readParts', db, { workspaceId, uuid: parts.uuid })
  await call('knowledge/upload-parts.removeUnusedParts', db, NOW, 1)
  const file: StoredFile = { uuid: newUuid(), whole: incoming.bytes }
  const options = { file, operatorId: newId('opr'), now: NOW, isClaimed: true }
  const upload = await transact((tx) =>
    call<{ documentId: string }>('knowledge/upload-store.enqueueUpload', tx, workspaceId, collectionId, incoming, options),
  )
  await call('knowledge/ingest.findUnchanged', db, workspaceId, collection, incoming)
  await call('knowledge/upload-store.readUpload', db, upload)
  await call('knowledge/upload-store.renewUpload', db, upload, NOW)
  await call('knowledge/upload-store.markParsed', db, upload)
  await transact(async (tx) => {
    await call('knowledge/upload-store.holdUpload', tx, upload)
    await call('knowledge/upload-store.failUpload', tx, upload, FAILURE, NOW)
  })
  await transact((tx) => call('knowledge/upload-store.retryUpload', tx, workspaceId, upload.documentId))
  const document = await call<object>('knowledge/document-store.findDocument', db, workspaceId, upload.documentId)
  await transact(async (tx) => {
    await call('knowledge/mark-document.failDocument', tx, workspaceId, collectionId, incoming, FAILURE, NOW)
    await call('knowledge/mark-document.markDocument', tx, collection, { ...incoming, bytes: 4 }, { state: 'queued', now: NOW })
    await call('knowledge/mark-document.settleDocument', tx, document)
    await call('knowledge/mark-document.dropUpload', tx, document)
  })
  await transact(async (tx) => {
    const attached = { key: 'upload/a', bytes: 1, contentHash: '', mediaType: undefined, result: { failure: FAILURE } }
    const labels = { classification: null, regulations: [], acl: null, limits: null, source: 'x' }
    await call('knowledge/store-attachments.splitTaken', tx, collection, upload.documentId, [attached])
    const attachments = { attached: [attached], written: new Map(), now: NOW }
    await call('knowledge/store-attachments.storeAttachments', tx, collection, { id: upload.documentId, labels }, attachments)
    await call('knowledge/document-store.listAttachments', tx, workspaceId, upload.documentId)
    await call('knowledge/relabel.relabelWithAttachments', tx, collection, document, { source: 'y' })
    const content = { title: 'x', mediaType: 'text/plain', language: null, limits: labels, chunks: [], flags: null, warnings: [] }
    const version = { key: 'version', bytes: 1, contentHash: '00', content }
    await call('knowledge/store-version.storeVersion', tx, collection, undefined, version, NOW)
  })
  const withdrawn = await transact((tx) =>
    call<object>('knowledge/upload-store.enqueueUpload', tx, workspaceId, collectionId, incoming, {
      ...options,
      file: { ...file, uuid: newUuid() },
    }),
  )
  await transact((tx) => call('knowledge/upload-store.withdrawUpload', tx, withdrawn))
  await call('knowledge/upload-store.claimUploads', db, NOW, 1)
  await call('knowledge/upload-store.removeFailedUploads', db, NOW, 1)
}
