import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher, request } from 'undici'
import type { FileStore, ReceivedFile } from './file-store.ts'

export interface BucketOptions {
  /** URL of the bucket, such as `https://s3.eu-central-1.amazonaws.com/acme-files`. */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly incoming: string
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const TIMEOUTS = { connect: { timeout: 5_000 }, headersTimeout: 30_000, bodyTimeout: 30_000 }

/** Stores files in a bucket of an S3-compatible store. The signature of an upload includes the hash of its content. */
export class BucketStore implements FileStore {
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
