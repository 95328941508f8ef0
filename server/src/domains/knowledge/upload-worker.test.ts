import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createKnowledgeStoreFixture, EVERYONE } from '../../../test/support/knowledge-store-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import type { Tx } from '../../platform/db/database.ts'
import { newId } from '../../platform/lib/id.ts'
import { countFindings } from '../../shared/finding.ts'
import { deleteDocument, findDocument, listDocuments } from './document-store.ts'
import { ingestDocument } from './ingest.ts'
import type { IncomingUpload } from './upload.ts'
import { PART_BYTES, removeUnusedParts, storeUploadFile } from './upload-parts.ts'
import {
  claimUploads,
  enqueueUpload,
  markParsed,
  removeFailedUploads,
  renewUpload,
  retryUpload,
  UPLOAD_LEASE_MS,
} from './upload-store.ts'
import { UploadWorker } from './upload-worker.ts'

const operatorId = newId('opr')

describe.each(testDatabases())('uploads on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { db, signal } = database
  const { workspaceId } = await seedWorkspace(db)
  const knowledge = createKnowledgeStoreFixture(database, workspaceId)
  const main = await knowledge.collection({ acl: EVERYONE, classification: 'public' })
  let time = Date.parse('2026-03-02T09:00:00Z')
  const now = () => new Date(time)
  const transact = <T>(work: (tx: Tx, now: Date) => Promise<T>) => db.transaction().execute((tx) => work(tx, now()))
  const scanText = () => countFindings([])
  const errors: Error[] = []

  const createWorker = (fetch: (url: string) => Promise<never> = () => Promise.reject(new Error('no network'))) =>
    new UploadWorker({
      ...{ db, signal, scanText, ocr: undefined, documentFetcher: { fetch }, onError: (error) => void errors.push(error) },
      clock: { now },
      record: (_, __, write) => transact(write),
      recordFailure: (_, __, write) => transact(write),
    })
  const enqueue = async (upload: Partial<IncomingUpload> & { key: string }, isClaimed = false) => {
    const file = await storeUploadFile(db, workspaceId, upload.bytes, now())
    const options = { file, operatorId, now: now(), isClaimed }
    const queued = await transact((tx) => enqueueUpload(tx, workspaceId, main.id, { name: upload.key, ...upload }, options))
    if (!queued) throw new Error('no such collection')
    return queued
  }
  const stored = async (id: string) => {
    const document = await findDocument(db, workspaceId, id)
    if (!document) throw new Error('no such document')
    const { state, version, failure } = document
    return { state, version, code: failure?.code ?? null }
  }
  const waiting = () => db.selectFrom('knowledge_upload').select('document_id').execute()

  test('a queued file has a document that no search finds, and becomes its first version', async () => {
    const upload = await enqueue({ key: 'queued.md', bytes: Buffer.from('Word: ammonite.'), acl: { users: ['ann'] } })
    expect(await stored(upload.documentId)).toEqual({ state: 'queued', version: 0, code: null })
    expect(await knowledge.found(knowledge.viewer({ id: 'ann' }), 'ammonite')).toEqual([])
    await createWorker().idle()
    expect(await stored(upload.documentId)).toEqual({ state: 'indexed', version: 1, code: null })
    expect(await knowledge.found(knowledge.viewer({ id: 'ann' }), 'ammonite')).toHaveLength(1)
    expect(await knowledge.found(knowledge.viewer({ id: 'bob' }), 'ammonite')).toEqual([])
    expect(await waiting()).toEqual([])
  })

  test('another node takes the upload of a node that has stopped when its lease is over', async () => {
    const upload = await enqueue({ key: 'left.md', bytes: Buffer.from('Text.') }, true)
    await markParsed(db, upload)
    await createWorker().idle()
    expect(await stored(upload.documentId)).toMatchObject({ state: 'parsed', version: 0 })
    time += UPLOAD_LEASE_MS - 1
    await renewUpload(db, upload, now())
    time += UPLOAD_LEASE_MS - 1
    await createWorker().idle()
    expect(await stored(upload.documentId)).toMatchObject({ state: 'parsed', version: 0 })
    time += 1
    await createWorker().idle()
    expect(await stored(upload.documentId)).toEqual({ state: 'indexed', version: 1, code: null })
  })

  test('a file that stops its node three times is given up', async () => {
    const upload = await enqueue({ key: 'deadly.md', bytes: Buffer.from('Text.') })
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await claimUploads(db, now(), 5)).toHaveLength(1)
      time += UPLOAD_LEASE_MS
    }
    await createWorker().idle()
    expect(await stored(upload.documentId)).toEqual({ state: 'failed', version: 0, code: 'interrupted' })
  })

  test('a large file is stored in parts, which go with the upload', async () => {
    const partCount = async () => (await db.selectFrom('knowledge_upload_part').select('part').execute()).length
    const bytes = Buffer.from(
      `# Orthoceras\n\n${'A orthoceras in a bed of chalk.\n\n'.repeat((2 * PART_BYTES) / 32)}The last word: ammonite.`,
    )
    const first = await enqueue({ key: 'large.md', bytes })
    expect(await partCount()).toBe(3)
    // A newer upload replaces the first, and its parts.
    await enqueue({ key: 'large.md', bytes: Buffer.concat([bytes, Buffer.from(' Or trilobite.')]) })
    expect(await partCount()).toBe(3)
    await createWorker().idle()
    expect(await stored(first.documentId)).toEqual({ state: 'indexed', version: 1, code: null })
    expect(await knowledge.found(knowledge.viewer(), 'ammonite trilobite')).not.toEqual([])
    expect(await partCount()).toBe(0)
    await storeUploadFile(db, workspaceId, bytes, now())
    expect(await removeUnusedParts(db, new Date(time - 1), 10)).toBe(0)
    expect(await removeUnusedParts(db, new Date(time + 1), 2)).toBe(2)
    expect(await removeUnusedParts(db, new Date(time + 1), 2)).toBe(1)
  })

  test('the last version stays searchable while a newer upload has failed', async () => {
    const first = await enqueue({ key: 'kept.md', bytes: Buffer.from('Word: belemnite.') })
    await createWorker().idle()
    await enqueue({ key: 'kept.md', bytes: Buffer.from(' ') })
    expect(await stored(first.documentId)).toEqual({ state: 'queued', version: 1, code: null })
    await createWorker().idle()
    expect(await stored(first.documentId)).toEqual({ state: 'failed', version: 1, code: 'empty' })
    expect(await knowledge.found(knowledge.viewer(), 'belemnite')).toHaveLength(1)
    // The stored version again: the failure is no longer true.
    await ingestDocument({ db, clock: { now }, scanText, transact }, workspaceId, main.id, {
      ...{ key: 'kept.md', name: 'kept.md', bytes: Buffer.from('Word: belemnite.') },
    })
    expect(await stored(first.documentId)).toEqual({ state: 'indexed', version: 1, code: null })
  })

  test('a failed upload can be retried until its file is removed', async () => {
    const error = Object.assign(new Error('unreachable'), { name: 'FetchError' })
    const unreachable = createWorker(() => Promise.reject(error))
    const upload = await enqueue({ key: 'page', url: 'http://page.example/' })
    await unreachable.idle()
    // An error that the file did not cause: the upload waits for its next attempt.
    expect(errors.splice(0)).toEqual([error])
    expect(await stored(upload.documentId)).toMatchObject({ state: 'queued' })

    const failed = await enqueue({ key: 'failed.md', bytes: Buffer.from('') })
    await createWorker().idle()
    const retry = (id: string) => transact((tx) => retryUpload(tx, workspaceId, id))
    expect(await retry(failed.documentId)).toBe(true)
    expect(await stored(failed.documentId)).toEqual({ state: 'queued', version: 0, code: null })
    await createWorker().idle()
    expect(await stored(failed.documentId)).toEqual({ state: 'failed', version: 0, code: 'empty' })
    expect(await removeFailedUploads(db, new Date(time), 100)).toBe(0)
    expect(await removeFailedUploads(db, new Date(time + 1), 100)).toBeGreaterThan(0)
    expect(await retry(failed.documentId)).toBe(false)
    expect(await retry(newId('doc'))).toBeUndefined()
  })

  test('a newer upload of the key replaces an older one, also while a node reads it', async () => {
    const older = await enqueue({ key: 'twice.md', bytes: Buffer.from('Word: coprolite.') }, true)
    const newer = await enqueue({ key: 'twice.md', bytes: Buffer.from('Word: diatomite.') })
    expect(newer.documentId).toBe(older.documentId)
    const worker = createWorker()
    expect(await worker.process(older)).toMatchObject({ failure: { code: 'replaced' } })
    await worker.idle()
    expect(await knowledge.found(knowledge.viewer(), 'coprolite')).toEqual([])
    expect(await knowledge.found(knowledge.viewer(), 'diatomite')).toHaveLength(1)
  })

  test('the file goes with its document', async () => {
    const { documentId } = await enqueue({ key: 'gone.md', bytes: Buffer.from('Text.') })
    expect(await transact((tx) => deleteDocument(tx, workspaceId, documentId))).toBe(true)
    await createWorker().idle()
    expect(await findDocument(db, workspaceId, documentId)).toBeUndefined()
    const unfinished = await listDocuments(db, workspaceId, { limit: 100, state: 'queued' })
    expect(unfinished?.data.map(({ key }) => key)).toEqual(['page'])
  })
})
