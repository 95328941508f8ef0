import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher, request } from 'undici'

export interface ReceivedFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: Buffer
  readonly head: Buffer
}

export interface FileStore {
  readonly incoming: string
  store(key: string, received: ReceivedFile): Promise<void>
  open(key: string): Promise<Readable>
  remove(key: string): Promise<void>
  close(): Promise<void>
}

interface BucketOptions {
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly incoming: string
}

export type FileStoreOptions = { readonly kind: 'folder'; readonly path: string } | ({ readonly kind: 'bucket' } & BucketOptions)

export const openFileStore = (options: FileStoreOptions): FileStore =>
  options.kind === 'folder' ? folderStore(options.path) : bucketStore(options)

const folderStore = (root: string): FileStore => ({
  incoming: join(root, 'incoming'),
  store: async (key, { path }) => {
    const target = join(root, key)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    // Both paths are in the same file system, so the file appears complete or not at all.
    await rename(path, target)
    // A renamed file is durable only after its folder is synced.
    const folder = await open(dirname(target))
    await folder.sync().finally(() => folder.close())
  },
  open: async (key) => (await open(join(root, key))).createReadStream(),
  remove: (key) => rm(join(root, key), { force: true }),
  close: async () => {},
})

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const TIMEOUTS = { connect: { timeout: 5_000 }, headersTimeout: 30_000, bodyTimeout: 30_000 }

/** Stores files in a bucket of an S3-compatible store. The signature of an upload includes the hash of its content. */
function bucketStore({ url, region, accessKeyId, secretAccessKey, incoming }: BucketOptions): FileStore {
  const agent = new Agent(TIMEOUTS)
  const send = async (method: 'GET' | 'PUT' | 'DELETE', key: string, upload?: ReceivedFile): Promise<Dispatcher.ResponseData> => {
    const headers = { 'x-amz-content-sha256': upload?.sha256.toString('hex') ?? EMPTY_SHA256 }
    const credentials = { accessKeyId, secretAccessKey, region, service: 's3' }
    const signed = await new AwsV4Signer({ method, url: `${url}/${key}`, headers, ...credentials }).sign()
    return request(signed.url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), ...(upload && { 'content-length': String(upload.bytes) }) },
      body: upload ? createReadStream(upload.path) : null,
      dispatcher: agent,
    })
  }
  return {
    incoming,
    store: async (key, received) => requireStatus(await send('PUT', key, received), 200),
    open: async (key) => {
      const response = await send('GET', key)
      if (response.statusCode !== 200) await requireStatus(response, 200)
      return response.body
    },
    remove: async (key) => requireStatus(await send('DELETE', key), 200, 204, 404),
    close: () => agent.close(),
  }
}

/** Throws if the status is not one of the expected ones. The body is not in the error, because it can contain keys. */
async function requireStatus({ statusCode, body }: Dispatcher.ResponseData, ...expected: readonly number[]): Promise<void> {
  await body.dump()
  if (!expected.includes(statusCode)) throw new Error(`The file store responded with status ${statusCode}`)
}
