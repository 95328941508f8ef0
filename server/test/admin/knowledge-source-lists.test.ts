import { beforeEach, describe, expect, test } from 'vitest'
import { BUCKET_KEYS, startBucket } from '../support/bucket.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startGoverned } from '../support/governed.ts'
import { createKnowledgeFixture, type KnowledgeFixture } from '../support/knowledge-fixture.ts'
import { runRecurringJob } from '../support/recurring-jobs.ts'
import { adminClient, expectError, type Json } from './client.ts'

const governed = await closeAfterAll(startGoverned({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' }))
const bucket = await closeAfterAll(startBucket())
const { state } = bucket
const admin = adminClient(governed.server)
const { context } = governed.server

const ANN = { users: ['ann'] }
const BEN = { users: ['ben'] }
const MAIL = [
  'From: a@example.com',
  'Subject: The offer',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/plain',
  '',
  'The beryl of the mail.',
  '--x',
  'Content-Type: text/plain; name=offer.txt',
  'Content-Disposition: attachment; filename=offer.txt',
  '',
  'The beryl of the offer.',
  '--x--',
].join('\r\n')

let fixture: KnowledgeFixture
beforeEach(async () => {
  Object.assign(state, { objects: new Map(), reads: [], beforeRead: async () => {} })
  fixture = await createKnowledgeFixture(governed)
})

const put = (...keys: readonly string[]) => keys.map((key) => state.objects.set(key, `# ${key}\n\nThe beryl of ${key}.`))
const finds = async (id: string): Promise<string[]> =>
  (await fixture.hits('beryl', { limit: 50, governance: { user: { id } } })).map(({ document_title: title }) => title).sort()
const get = (id: string): Promise<Json> => admin.get(`/knowledge/sources/${id}`)
const documents = async (): Promise<Json[]> => (await admin.get(`/documents?collection=${fixture.collection.id}&limit=100`)).data
const relabel = () => runRecurringJob(context, 'change the access lists of sources')
const sync = async (id: string): Promise<void> => {
  await admin.post(`/knowledge/sources/${id}/sync`, {})
  await context.sources.idle()
}
const create = async (more: object = {}): Promise<string> => {
  const { id } = await admin.create('/knowledge/sources', {
    ...{ collection_id: fixture.collection.id, name: 'wiki', kind: 's3', url: bucket.url, region: BUCKET_KEYS.region },
    ...{ username: BUCKET_KEYS.accessKeyId, secret: BUCKET_KEYS.secretAccessKey, ...more },
  })
  await context.sources.idle()
  return id
}

describe('sources of knowledge: access lists', () => {
  test('every document gets the list of its source, and a user outside the list finds none', async () => {
    put('a.md', 'b.md')
    state.objects.set('mail.eml', MAIL)
    const id = await create({ acl: ANN })
    expect(await get(id)).toMatchObject({ acl: ANN, relabelling: false, failure: null })
    expect(await finds('ann')).toEqual(['The offer', 'a.md', 'b.md', 'offer'])
    expect(await finds('ben')).toEqual([])
    expect((await documents()).map(({ acl }) => acl)).toEqual([ANN, ANN, ANN, ANN])
    put('c.md')
    await sync(id)
    expect(await finds('ann')).toContain('c.md')
    expect(await finds('ben')).toEqual([])
  })

  test('a changed list applies from the next search on, before a job gives it to the documents, and no file is read again', async () => {
    put(...Array.from({ length: 7 }, (_, at) => `${at}.md`))
    state.objects.set('mail.eml', MAIL)
    await fixture.put('The beryl of another document.', { title: 'own' })
    const id = await create({ acl: ANN })
    state.reads = []
    const { relabelling } = await admin.patch(`/knowledge/sources/${id}`, { acl: BEN })
    expect([relabelling, (await get(id)).relabelling]).toEqual([true, true])
    // Neither the former nor the changed list is exceeded.
    expect([await finds('ann'), await finds('ben')]).toEqual([['own'], ['own']])
    const explained = await admin.post('/knowledge/search', {
      ...{ query: 'beryl', application_id: fixture.id, user: { id: 'ann', verified: false } },
      document_id: (await documents()).find(({ key }) => key === 'wiki/0.md').id,
    })
    expect(explained.document).toMatchObject({ rank: null })
    expect(explained.document.checks.filter(({ passed }: Json) => !passed)).toEqual([
      {
        rule: 'acl',
        passed: false,
        because: "The readers of the document's source have changed, and the user is not among them.",
      },
    ])
    expectError(await admin.send('DELETE', `/knowledge/sources/${id}`), 'CONFLICT')
    await relabel()
    expect(await finds('ann')).toEqual(['own'])
    expect(await finds('ben')).toHaveLength(10)
    expect(await get(id)).toMatchObject({ acl: BEN, relabelling: false })

    await admin.patch(`/knowledge/sources/${id}`, { acl: { everyone: true, deny: { users: ['ben'] } } })
    expect([await finds('ann'), await finds('ben')]).toEqual([['own'], ['own']])
    await relabel()
    expect(await finds('ann')).toHaveLength(10)
    expect(await finds('ben')).toEqual(['own'])

    await admin.patch(`/knowledge/sources/${id}`, { acl: null })
    await relabel()
    expect([await finds('ann'), await finds('ben')].map(({ length }) => length)).toEqual([10, 10])
    expect((await documents()).map(({ acl }) => acl)).toEqual(Array(10).fill(null))
    await sync(id)
    expect([state.reads, (await get(id)).last_sync.unchanged]).toEqual([[], 8])
  })

  test('a list that changes while a file is read is the one that its document gets', async () => {
    put('a.md', 'b.md', 'c.md')
    const id = await create({ acl: ANN })
    put('new.md')
    state.objects.set('b.md', '# b.md\n\nThe beryl has changed.')
    const found: string[][] = []
    state.beforeRead = async (key) => {
      if (key !== 'new.md') return
      await admin.patch(`/knowledge/sources/${id}`, { acl: BEN })
      found.push(await finds('ann'))
    }
    await sync(id)
    found.push(await finds('ann'))
    await relabel()
    found.push(await finds('ann'))
    expect(found).toEqual([[], [], []])
    expect(await finds('ben')).toEqual(['a.md', 'b.md', 'c.md', 'new.md'])
    expect((await documents()).map(({ acl }) => acl)).toEqual([BEN, BEN, BEN, BEN])
  })

  test('a document cannot leave the list of its source, also not by an upload of its key', async () => {
    put('a.md')
    const id = await create({ acl: ANN })
    const [document] = await documents()
    expectError(await admin.send('PATCH', `/documents/${document.id}`, { acl: 'everyone' }), 'CONFLICT')
    const pushed = { key: 'wiki/a.md', content: 'The beryl is pushed.', acl: 'everyone' }
    await admin.post(`/collections/${fixture.collection.id}/documents`, { documents: [pushed] })
    expect([await finds('ann'), await finds('ben')].map(({ length }) => length)).toEqual([1, 0])
    await admin.patch(`/documents/${document.id}`, { classification: 'public' })
    await admin.remove(`/knowledge/sources/${id}`)
    expect([await finds('ann'), await finds('ben')].map(({ length }) => length)).toEqual([1, 0])
    await admin.patch(`/documents/${document.id}`, { acl: BEN })
    expect([await finds('ann'), await finds('ben')].map(({ length }) => length)).toEqual([0, 1])
  })

  test('a file that cannot be read, and is uploaded later, has the list', async () => {
    state.objects.set('empty.md', '')
    await create({ acl: ANN })
    expect((await documents()).map(({ acl, state: of }) => [acl, of])).toEqual([[ANN, 'failed']])
    const pushed = { key: 'wiki/empty.md', content: 'The beryl is no longer empty.' }
    await admin.post(`/collections/${fixture.collection.id}/documents`, { documents: [pushed] })
    expect([await finds('ann'), await finds('ben')].map(({ length }) => length)).toEqual([1, 0])
  })

  test('an invalid list is refused at its field', async () => {
    const create = { collection_id: fixture.collection.id, name: 'wiki', kind: 's3', url: bucket.url }
    for (const acl of ['nearly everyone', { everyone: true, users: ['ann'] }])
      expectError(await admin.send('POST', '/knowledge/sources', { ...create, acl }), 'VALIDATION_ERROR', 'acl')
  })
})
