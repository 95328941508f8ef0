import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startServer } from '../support/server.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, type Json } from './client.ts'

let collection: Json
const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()
beforeEach(async () => {
  collection = await admin.create('/collections', { name: crypto.randomUUID() }, { workspace })
})

const ingest = async (body: object): Promise<Json[]> =>
  (await admin.post(`/collections/${collection.id}/documents`, body, { workspace })).data
const document = (id: string): Promise<Json> => admin.get(`/documents/${id}`, { workspace })

describe('documents from URLs', async () => {
  let respond: (path: string, response: ServerResponse) => unknown
  const web = createServer((request, response) => respond(request.url ?? '', response))
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  afterAll(() => {
    web.closeAllConnections()
    web.close()
  })
  const ingestUrls = async (...paths: string[]): Promise<Json[]> =>
    ingest({ documents: paths.map((path, index) => ({ key: `${index}`, url: path.startsWith('/') ? base + path : path })) })

  test('added with their URL as source, and redirects are followed', async () => {
    const redirects = { '/three': [302, '/two'], '/two': [307, `${base}/one`], '/one': [301, 'page.html?a=b'] } as const
    respond = (path, response) => {
      const [status, location] = redirects[path as keyof typeof redirects] ?? []
      if (status) response.writeHead(status, { location }).end('moved')
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Page</title><p>Text.</p></html>')
    }
    const [outcome] = await ingestUrls('/three')
    expect(outcome).toMatchObject({ key: '0', outcome: 'added', error: null })
    expect(await document(outcome?.document_id)).toMatchObject({
      title: 'Page',
      source: `${base}/three`,
      media_type: 'text/html',
    })
  })

  test('each failure has its own reason, and the other documents are added', async () => {
    const bad: Record<string, (response: ServerResponse) => unknown> = {
      '/missing': (response) => response.writeHead(404).end('<html>nothing here</html>'),
      '/circle': (response) => response.writeHead(302, { location: '/circle' }).end(),
      '/zipped': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
      '/broken-off': (response) => response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy()),
      '/endless': writeEndlessly,
      '/metadata': (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
      '/file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    }
    respond = (path, response) => (bad[path] ? bad[path](response) : response.end('Good.'))
    const never = ['http://169.254.169.254/', 'http://[fe80::1]/', 'ftp://example.com/', 'nowhere']
    const outcomes = await ingestUrls(...Object.keys(bad), ...never, '/good.md')
    expect(outcomes.map(({ outcome, error }) => error?.code ?? outcome)).toEqual([
      ...['not_fetched', 'not_fetched', 'not_fetched', 'not_fetched', 'too_large', 'blocked', 'blocked'],
      ...never.map(() => 'blocked'),
      'added',
    ])
  })

  test('refused before any request when the URL has credentials', async () => {
    let requests = 0
    respond = (_, response) => {
      requests += 1
      response.end('x')
    }
    const [outcome] = await ingestUrls(base.replace('//', '//user:password@'))
    expect(outcome?.error.code).toBe('blocked')
    expect(requests).toBe(0)
  })

  test('refused when the address is private, unless the server allows private addresses', async () => {
    const other = await startServer()
    try {
      const operator = adminClient(other)
      const { id } = await operator.create('/collections', { name: 'web' })
      const urls = [base, base.replace('127.0.0.1', 'localhost'), 'http://10.0.0.1/', 'http://[::1]:1/', 'http://0x7f000001/']
      const list = { documents: urls.map((url, index) => ({ key: `${index}`, url })) }
      const { data } = await operator.post(`/collections/${id}/documents`, list)
      expect(data.map(({ error }: Json) => error.code)).toEqual(urls.map(() => 'blocked'))
    } finally {
      await other.close()
    }
  })
})

/** Writes without end, as fast as the receiver reads. */
function writeEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(1_048_576, 'x')
  const more = (): void => {
    while (!response.destroyed) if (!response.write(chunk)) return void response.once('drain', more)
  }
  more()
}
