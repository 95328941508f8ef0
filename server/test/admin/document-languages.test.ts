import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()

const createCollection = (language = 'en'): Promise<Json> =>
  admin.create('/collections', { name: crypto.randomUUID(), acl: 'everyone', classification: 'public', language }, { workspace })
/** The id of the stored document. */
const put = async (collection: Json, document: object): Promise<string> => {
  const { data } = await admin.post(`/collections/${collection.id}/documents`, { documents: [document] }, { workspace })
  expect(data[0].error).toBeNull()
  return data[0].document_id
}
const languageOf = async (id: string): Promise<string> => (await admin.get(`/documents/${id}`, { workspace })).language
/** A search of this collection, which resolves to the ids of the documents that it finds. */
const searchOf = async ({ name }: Json): Promise<(query: string) => Promise<string[]>> => {
  const settings = { knowledge: { enabled: true, collections: [name] } }
  const { id } = await admin.create('/applications', { name, ceiling: 'restricted', settings }, { workspace })
  return async (query) => {
    const { visible } = await admin.post('/knowledge/search', { query, application_id: id }, { workspace })
    return visible.map((hit: Json) => hit.document_id)
  }
}

const GERMAN = `# Wohnen

Die Kündigungsfrist beträgt drei Monate zum Ende des Quartals. Der Mieter muss die Kündigung schriftlich erklären, und für die Rückgabe
der Wohnung gilt, dass sie in dem Zustand sein muss, in dem sie übergeben wurde.`
const ENGLISH = `# Housing

The notice period is three months before the end of the quarter. The tenants must give notice in writing, and the flat must be in the
condition in which it was when it was handed over to them.`
const SWEDISH = 'Sjukförsäkring gäller.'

test('language: that which the text shows decides, and a short text has that of the collection', async () => {
  const collection = await createCollection()
  const search = await searchOf(collection)
  const german = await put(collection, { key: 'de.md', content: GERMAN })
  const english = await put(collection, { key: 'en.md', content: ENGLISH })
  const short = await put(collection, { key: 'sv.md', content: SWEDISH })
  expect(await Promise.all([german, english, short].map(languageOf))).toEqual(['de', 'en', 'en'])
  // A part of a German compound, a German plural, and an English one.
  expect(await search('Fristen')).toEqual([german])
  expect(await search('Wohnungen')).toEqual([german])
  expect(await search('tenant')).toEqual([english])
})

test('language: a client gives it, for a text and for a file, and a new one changes the document', async () => {
  const collection = await createCollection()
  const search = await searchOf(collection)
  const id = await put(collection, { key: 'sv.md', content: SWEDISH, language: 'sv' })
  expect(await languageOf(id)).toBe('sv')
  expect(await search('försäkringar')).toEqual([id])
  const path = `/collections/${collection.id}/documents?key=sv.md&language=en`
  const file = { workspace, raw: SWEDISH, type: 'text/markdown' }
  expect((await admin.post(path, undefined, file)).data[0]).toMatchObject({ document_id: id, outcome: 'changed' })
  const [record] = await admin.records(1, { workspace })
  expect(record.change).toMatchObject({ action: 'document.update', fields: ['content', 'language'] })
  expect(await languageOf(id)).toBe('en')
  expect(await search('försäkringar')).toEqual([])
  const unknown = { documents: [{ key: 'sv.md', content: SWEDISH, language: 'klingon' }] }
  const refused = await admin.send('POST', `/collections/${collection.id}/documents`, unknown, { workspace })
  expectError(refused, 'VALIDATION_ERROR', 'documents[0].language')
})

test('language: a new one of the collection moves documents without their own when they are uploaded again', async () => {
  const collection = await createCollection()
  const search = await searchOf(collection)
  const own = { key: 'own.md', content: GERMAN }
  const other = { key: 'other.md', content: SWEDISH }
  const ids = [await put(collection, own), await put(collection, other)]
  await admin.patch(`/collections/${collection.id}`, { language: 'sv' }, { workspace })
  for (const document of [own, other]) await put(collection, document)
  expect(await Promise.all(ids.map(languageOf))).toEqual(['de', 'sv'])
  // New labels move a document to another partition, in its own language.
  await admin.patch(`/documents/${ids[0]}`, { classification: 'internal' }, { workspace })
  expect(await languageOf(String(ids[0]))).toBe('de')
  expect(await search('Fristen')).toEqual([ids[0]])
})

test.each(['none', 'ru'])('language: a collection in %s keeps it for texts that seem to have another', async (language) => {
  const id = await put(await createCollection(language), { key: 'de.md', content: GERMAN })
  expect(await languageOf(id)).toBe(language)
})
