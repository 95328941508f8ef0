import { beforeEach, describe, expect, test } from 'vitest'
import { BUCKET_KEYS, startBucket } from '../support/bucket.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { type ApiResponse, adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(startServer({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' }))
const bucket = await closeAfterAll(startBucket())
const { state } = bucket
const admin = adminClient(server)
const { sources } = server.context
const workspace = await admin.workspace()

let collection: string
beforeEach(async () => {
  Object.assign(state, { objects: new Map(), reads: [], status: 200 })
  collection = (await admin.create('/collections', { name: crypto.randomUUID() }, { workspace })).id
})

const SETTINGS = { name: 'wiki', kind: 's3', url: bucket.url, region: BUCKET_KEYS.region, username: BUCKET_KEYS.accessKeyId }
const create = async (more: object = {}): Promise<Json> => {
  const body = { collection_id: collection, ...SETTINGS, secret: BUCKET_KEYS.secretAccessKey, ...more }
  const source = await admin.create('/knowledge/sources', body, { workspace })
  await sources.idle()
  return source
}
const get = (id: string): Promise<Json> => admin.get(`/knowledge/sources/${id}`, { workspace })
const sync = async (id: string, body: object = {}): Promise<Json> => {
  await admin.post(`/knowledge/sources/${id}/sync`, body, { workspace })
  await sources.idle()
  return get(id)
}
const put = (...keys: readonly string[]) => keys.map((key) => state.objects.set(key, `# ${key}\n\nText of ${key}.`))
const documents = async (): Promise<Json[]> =>
  (await admin.get(`/documents?collection=${collection}&limit=100`, { workspace })).data.sort((a: Json, b: Json) =>
    a.key < b.key ? -1 : 1,
  )
const keys = async (): Promise<string[]> => (await documents()).map(({ key }) => key)
const counts = ({ last_sync: { at: _, ...numbers } }: Json) =>
  Object.fromEntries(Object.entries(numbers).filter(([, count]) => count !== 0))

describe('sources of knowledge: S3', () => {
  test('copies all pages of a list, with the path as the key and the address as the source', async () => {
    put('a.md', 'travel/trains & ferries+more.md', 'travel/über.md', '.git/config', 'travel/.draft.md', 'folder/')
    const source = await create()
    const synced = await get(source.id)
    expect(synced).toMatchObject({ object: 'knowledge_source', failure: null, syncing_since: null, has_secret: true })
    expect(counts(synced)).toEqual({ added: 3 })
    expect((await documents()).map(({ key, source: address, state: of }) => [key, address, of])).toEqual([
      ['wiki/a.md', `${bucket.url}/a.md`, 'indexed'],
      ['wiki/travel/trains & ferries+more.md', `${bucket.url}/travel/trains & ferries+more.md`, 'indexed'],
      ['wiki/travel/über.md', `${bucket.url}/travel/über.md`, 'indexed'],
    ])
    expect(JSON.stringify(synced)).not.toContain(BUCKET_KEYS.secretAccessKey)
    const changes = (await admin.records(4, { workspace })).map(({ change }: Json) => change.action)
    expect(changes.sort()).toEqual(['document.create', 'document.create', 'document.create', 'knowledge_source.create'])
  })

  test('reads only new and changed objects, and deletes documents of objects that are gone', async () => {
    put(...Array.from({ length: 10 }, (_, at) => `${at}.md`))
    const { id } = await create()
    expect(state.reads).toHaveLength(10)
    state.reads = []
    expect(counts(await sync(id))).toEqual({ unchanged: 10 })
    expect(state.reads).toEqual([])
    state.objects.set('3.md', 'other text')
    state.objects.delete('4.md')
    put('new.md')
    expect(counts(await sync(id))).toEqual({ added: 1, changed: 1, unchanged: 8, deleted: 1 })
    expect(state.reads.sort()).toEqual(['3.md', 'new.md'])
    expect(await keys()).not.toContain('wiki/4.md')
    expect((await admin.records(20, { workspace })).map(({ change }: Json) => change.action)).toContain('document.delete')
  })

  test('deletes nothing when more than 20 % of the files are missing, unless forced', async () => {
    put('a.md', 'b.md', 'c.md', 'd.md')
    const { id } = await create()
    await admin.post(`/collections/${collection}/documents`, { documents: [{ key: 'own.md', content: 'Own.' }] }, { workspace })
    state.objects.clear()
    const refused = await sync(id)
    expect(refused.failure).toMatchObject({
      code: 'deletion_refused',
      message:
        '4 of 4 files are missing, which is more than 20 %, so no document was deleted. Check the source, or synchronise with `force` to delete the documents.',
    })
    expect(await keys()).toHaveLength(5)
    const forced = await sync(id, { force: true })
    expect([forced.failure, counts(forced)]).toEqual([null, { deleted: 4 }])
    expect(await keys()).toEqual(['own.md'])
  })

  test('keeps the failure and the documents when the source cannot be read, and continues later', async () => {
    put('a.md', 'b.md')
    const { id } = await create()
    for (const [status, message] of [
      [403, 'The server refused the credentials (status 403). Check the secret and its rights.'],
      [301, 'The server redirects (status 301). Enter the URL that it redirects to.'],
      [500, 'The server responded with status 500.'],
    ] as const) {
      state.status = status
      expect((await sync(id)).failure).toMatchObject({ code: 'not_fetched', message })
    }
    state.status = 200
    put('c.md')
    const synced = await sync(id)
    expect([synced.failure, counts(synced)]).toEqual([null, { added: 1, unchanged: 2 }])
  })

  test('an object that cannot be read is a failed document, and is not read again until it changes', async () => {
    put('a.md')
    state.objects.set('empty.md', '')
    state.objects.set('huge.md', 'x'.repeat(26 * 1_048_576))
    const { id } = await create()
    expect(counts(await get(id))).toEqual({ added: 1, failed: 2 })
    expect((await documents()).map(({ key, failure }) => [key, failure?.code])).toEqual([
      ['wiki/a.md', undefined],
      ['wiki/empty.md', 'empty'],
      ['wiki/huge.md', 'too_large'],
    ])
    expect(counts(await sync(id))).toEqual({ unchanged: 3 })
    state.objects.set('empty.md', 'Text.')
    expect(counts(await sync(id))).toEqual({ added: 1, unchanged: 2 })
  })

  test('a folder limits the source, and another folder reads all files again', async () => {
    put('hr/a.md', 'hr/sub/b.md', 'it/c.md')
    const { id } = await create({ folder: '/hr' })
    expect(await keys()).toEqual(['wiki/a.md', 'wiki/sub/b.md'])
    await admin.patch(`/knowledge/sources/${id}`, { folder: '', link: 'https://wiki.example.com/' }, { workspace })
    await sources.idle()
    expect((await get(id)).failure.code).toBe('deletion_refused')
    await sync(id, { force: true })
    expect((await documents()).map(({ source }) => source)).toEqual([
      'https://wiki.example.com/hr/a.md',
      'https://wiki.example.com/hr/sub/b.md',
      'https://wiki.example.com/it/c.md',
    ])
  })

  test('runs again after its interval, and not while it is disabled', async () => {
    put('a.md')
    const { id } = await create({ interval_minutes: 5 })
    put('b.md')
    await sources.idle()
    expect(await keys()).toEqual(['wiki/a.md'])
    const due = () =>
      server.context.db
        .updateTable('knowledge_source')
        .set({ next_sync_at: new Date(0) })
        .where('name', '=', 'wiki')
        .execute()
    await admin.patch(`/knowledge/sources/${id}`, { enabled: false }, { workspace })
    await due()
    await sources.idle()
    expect(await keys()).toEqual(['wiki/a.md'])
    expectError(await admin.send('POST', `/knowledge/sources/${id}/sync`, {}, { workspace }), 'CONFLICT')
    await admin.patch(`/knowledge/sources/${id}`, { enabled: true }, { workspace })
    await sources.idle()
    expect(await keys()).toEqual(['wiki/a.md', 'wiki/b.md'])
    const { next_sync_at: next, last_sync: last } = await get(id)
    expect(Date.parse(next) - Date.parse(last.at)).toBe(5 * 60_000)
  })

  test('a deleted source leaves its documents, and a deleted collection ends its sources', async () => {
    put('a.md')
    const { id } = await create()
    expectError(
      await admin.send('POST', '/knowledge/sources', { collection_id: collection, ...SETTINGS }, { workspace }),
      'CONFLICT',
      'name',
    )
    await admin.remove(`/knowledge/sources/${id}`, { workspace })
    expect(await keys()).toEqual(['wiki/a.md'])
    const again = await create()
    await admin.remove(`/collections/${collection}`, { workspace })
    expectError(await admin.send('GET', `/knowledge/sources/${again.id}`, undefined, { workspace }), 'NOT_FOUND')
  })
})

describe('sources of knowledge: addresses and secrets', () => {
  test('a secret is not sent to another origin', async () => {
    put('a.md')
    const { id } = await create()
    const moved = { url: 'https://elsewhere.example/bucket' }
    expectError(await admin.send('PATCH', `/knowledge/sources/${id}`, moved, { workspace }), 'VALIDATION_ERROR', 'secret')
    // Also if the table is changed.
    await server.context.db.updateTable('knowledge_source').set({ url: 'http://localhost:1/bucket' }).execute()
    expect((await sync(id)).failure.message).toBe('The secret cannot be read with the secret key of the server. Enter it again.')
  })

  test('invalid settings are refused', async () => {
    const refused = async (more: object, param: string) => {
      const body = { collection_id: collection, ...SETTINGS, ...more }
      expectError(await admin.send('POST', '/knowledge/sources', body, { workspace }), 'VALIDATION_ERROR', param)
    }
    await refused({ name: 'a/b' }, 'name')
    await refused({ name: '.hidden' }, 'name')
    await refused({ url: 'file:///etc/passwd' }, 'url')
    await refused({ url: 'http://169.254.169.254/latest' }, 'url')
    await refused({ url: 'https://key:secret@s3.example.com/bucket' }, 'url')
    await refused({ interval_minutes: 1 }, 'interval_minutes')
    await refused({ secret: 'x', username: null }, 'username')
  })

  test('a secret is refused for http://, except on this machine, and is not sent by a stored source', async () => {
    const address = { name: 'plain', url: 'http://s3.example.com/bucket', enabled: false }
    const send = (method: string, path: string, body: object) =>
      admin.send(method, `/knowledge/sources${path}`, body, { workspace })
    const expectRefused = (response: ApiResponse) => {
      expectError(response, 'VALIDATION_ERROR', 'url')
      expect(response.body.error.message).toBe(
        'url: must begin with https://, because a secret that is sent over http:// can be read on the way. Enter the https:// address, or remove the secret if the source is public.',
      )
    }
    const created = { collection_id: collection, ...SETTINGS, ...address }
    expectRefused(await send('POST', '', { ...created, secret: 'x' }))
    expectRefused(await send('POST', '', { ...created, kind: 'git', secret: 'x' }))
    const { id } = await create({ ...address, secret: null })
    expectRefused(await send('PATCH', `/${id}`, { secret: 'x' }))
    await admin.patch(`/knowledge/sources/${id}`, { url: 'https://s3.example.com/bucket', secret: 'x' }, { workspace })
    expectRefused(await send('PATCH', `/${id}`, { url: address.url }))
    for (const host of ['localhost', 'minio.localhost', '127.0.0.2', '[::1]'])
      await create({ ...address, name: host, url: `http://${host}:9/bucket` })

    const stored = await create({ name: 'stored' })
    await server.context.db.updateTable('knowledge_source').set({ url: address.url }).where('name', '=', 'stored').execute()
    expect((await sync(stored.id)).failure).toMatchObject({
      code: 'blocked',
      message: expect.stringContaining('The URL must begin with https://'),
    })
  })

  test('private addresses need the setting of the server, also after the name is resolved', async () => {
    const strict = await closeAfterAll(startServer())
    const other = adminClient(strict)
    const { id: collectionId } = await other.create('/collections', { name: 'private' })
    const settings = { ...SETTINGS, collection_id: collectionId }
    expectError(await other.send('POST', '/knowledge/sources', settings), 'VALIDATION_ERROR', 'url')
    const named = await other.create('/knowledge/sources', {
      ...settings,
      url: 'https://internal.example/bucket',
      enabled: false,
    })
    for (const kind of ['s3', 'git'] as const) {
      const due = { kind, url: bucket.url, enabled: true, next_sync_at: new Date(0), failure: null }
      await strict.context.db.updateTable('knowledge_source').set(due).execute()
      await strict.context.sources.idle()
      expect((await other.get(`/knowledge/sources/${named.id}`)).failure.code).toBe('blocked')
    }
    expect(state.reads).toEqual([])
  })
})
