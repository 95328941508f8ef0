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

export type FileStoreOptions = { readonly kind: 'folder'; readonly path: string } | ({ readonly kind: 'bucket' } & BucketOptions)

export const openFileStore = (options: FileStoreOptions): FileStore =>
  options.kind === 'folder' ? new FolderStore(options.path) : new BucketStore(options)

class FolderStore implements FileStore {
  readonly incoming: string
  readonly #root: string

  constructor(root: string) {
    this.#root = root
    this.incoming = join(root, 'incoming')
  }

  async store(key: string, { path }: ReceivedFile): Promise<void> {
    const target = this.#pathOf(key)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    // Both paths are in the same file system, so the file appears complete or not at all.
    await rename(path, target)
    await syncFolder(dirname(target))
  }

  async open(key: string): Promise<Readable> {
    const file = await open(this.#pathOf(key))
    return file.createReadStream()
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true })
  }

  async close(): Promise<void> {}

  #pathOf(key: string): string {
    return join(this.#root, key)
  }
}

/** A renamed file is durable only after its folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

interface BucketOptions {
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly incoming: string
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const TIMEOUTS = { connect: { timeout: 5_000 }, headersTimeout: 30_000, bodyTimeout: 30_000 }

/** Stores files in a bucket of an S3-compatible store. The signature of an upload includes the hash of its content. */
class BucketStore implements FileStore {
  readonly incoming: string
  readonly #options: BucketOptions
  readonly #agent = new Agent(TIMEOUTS)

  constructor(options: BucketOptions) {
    this.#options = options
    this.incoming = options.incoming
  }

  async store(key: string, { path, bytes, sha256 }: ReceivedFile): Promise<void> {
    const upload = { sha256: sha256.toString('hex'), bytes, body: createReadStream(path) }
    await requireStatus(await this.#send('PUT', key, upload), 200)
  }

  async open(key: string): Promise<Readable> {
    const response = await this.#send('GET', key)
    if (response.statusCode !== 200) await requireStatus(response, 200)
    return response.body
  }

  async remove(key: string): Promise<void> {
    await requireStatus(await this.#send('DELETE', key), 200, 204, 404)
  }

  close(): Promise<void> {
    return this.#agent.close()
  }

  async #send(
    method: 'GET' | 'PUT' | 'DELETE',
    key: string,
    upload?: { readonly sha256: string; readonly bytes: number; readonly body: Readable },
  ): Promise<Dispatcher.ResponseData> {
    const { url, region, accessKeyId, secretAccessKey } = this.#options
    const headers = { 'x-amz-content-sha256': upload?.sha256 ?? EMPTY_SHA256 }
    const credentials = { accessKeyId, secretAccessKey, region, service: 's3' }
    const signed = await new AwsV4Signer({ method, url: `${url}/${key}`, headers, ...credentials }).sign()
    return request(signed.url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), ...(upload && { 'content-length': String(upload.bytes) }) },
      body: upload?.body ?? null,
      dispatcher: this.#agent,
    })
  }
}

/** Throws if the status is not one of the expected ones. The body is not in the error, because it can contain keys. */
async function requireStatus({ statusCode, body }: Dispatcher.ResponseData, ...expected: readonly number[]): Promise<void> {
  await body.dump()
  if (!expected.includes(statusCode)) throw new Error(`The file store responded with status ${statusCode}`)
}
