import { createHash } from 'node:crypto'
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { accepted } from '../../../shared/request-errors.ts'
import { type FileStore, openFileStore } from './file-store.ts'
import { receiveFile, removeStaleUploads } from './store-upload.ts'

const folder = temporaryFolder()

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()

/** A minimal S3-compatible store, with the requests that it got. */
const bucket = {
  objects: new Map<string, Buffer>(),
  requests: [] as { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer }[],
  status: 0,
}
const server = createServer(async (request, response) => {
  const { method = '', url = '', headers } = request
  const body = await buffer(request)
  bucket.requests.push({ method, url, headers, body })
  const stored = bucket.objects.get(url)
  if (bucket.status) return void response.writeHead(bucket.status).end('<Error>secret</Error>')
  if (method === 'PUT') bucket.objects.set(url, body)
  if (method === 'DELETE') bucket.objects.delete(url)
  if (method === 'GET') return void response.writeHead(stored ? 200 : 404).end(stored)
  return void response.writeHead(method === 'DELETE' ? 204 : 200).end()
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())

const openBucket = (): FileStore =>
  openFileStore({
    kind: 'bucket',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme`,
    region: 'eu-central-1',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI',
    incoming: join(folder, 'bucket-incoming'),
  })

describe.each([
  { kind: 'folder', open: () => openFileStore({ kind: 'folder', path: join(folder, 'files') }) },
  { kind: 'bucket', open: openBucket },
])('$kind', ({ open }) => {
  test('file store: stores a file until it is removed', async () => {
    const store = open()
    const received = accepted(await receiveFile(pieces('he', 'llo'), store.incoming, 5))
    expect(received).toMatchObject({ bytes: 5, sha256: sha256('hello'), head: Buffer.from('hello') })
    await store.store('ab/one', received)
    expect(String(await buffer(await store.open('ab/one')))).toBe('hello')
    await store.remove('ab/one')
    await expect(store.open('ab/one')).rejects.toThrow()
    await store.remove('ab/one')
    await store.close()
  })
})

describe('bucket', () => {
  test('bucket: the signed upload includes the hash of its content, and no secret', async () => {
    const store = openBucket()
    await store.store('ab/two', accepted(await receiveFile(pieces('signed'), store.incoming, 100)))
    const { method, url, headers, body } = bucket.requests.at(-1) ?? {}
    expect([method, url, String(body)]).toEqual(['PUT', '/acme/ab/two', 'signed'])
    expect(headers).toMatchObject({
      'content-length': '6',
      'x-amz-content-sha256': sha256('signed').toString('hex'),
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=[\da-f]{64}$/,
      ),
    })
    expect(JSON.stringify(bucket.requests)).not.toContain('wJalrXUtnFEMI')
    await store.close()
  })

  test('bucket: error has the status and not the body of the response when the store refuses', async () => {
    const store = openBucket()
    bucket.status = 503
    const received = accepted(await receiveFile(pieces('x'), store.incoming, 100))
    for (const attempt of [() => store.store('ab/three', received), () => store.open('ab/two'), () => store.remove('ab/two')]) {
      await expect(attempt()).rejects.toThrow(/^The file store responded with status 503$/)
    }
    bucket.status = 0
    await expect(store.open('ab/three')).rejects.toThrow(/404/)
    await store.close()
  })
})

describe('temporary files', () => {
  const incoming = join(folder, 'incoming')

  test('receive file: no temporary file is left when the upload is too large or is interrupted', async () => {
    expect(await receiveFile(pieces('abc', 'def'), incoming, 5)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    async function* interrupted() {
      yield Buffer.from('a')
      throw new Error('interrupted')
    }
    await expect(receiveFile(interrupted(), incoming, 5)).rejects.toThrow('interrupted')
    expect(readdirSync(incoming)).toEqual([])
  })

  test('temporary files: removed after an hour', async () => {
    const [old, young] = [join(incoming, 'old'), join(incoming, 'young')]
    for (const path of [old, young]) writeFileSync(path, 'x')
    const now = new Date()
    utimesSync(old, now, new Date(now.getTime() - 3_700_000))
    await removeStaleUploads(incoming, now)
    expect([existsSync(old), existsSync(young)]).toEqual([false, true])
    await removeStaleUploads(join(folder, 'missing'), now)
  })
})
