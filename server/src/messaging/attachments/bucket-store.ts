import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher, request } from 'undici'
import type { FileStore, ReceivedFile } from './file-store.ts'

export interface BucketOptions {
  /** Of the bucket itself, as `https://s3.eu-central-1.amazonaws.com/acme-files`. */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly incoming: string
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const TIMEOUTS = { connect: { timeout: 5_000 }, headersTimeout: 30_000, bodyTimeout: 30_000 }

/** A bucket of an S3-compatible store. Uploads are signed with the hash of what they carry: what is kept is what came in. */
export class BucketStore implements FileStore {
  readonly incoming: string
  readonly #options: BucketOptions
  readonly #agent = new Agent(TIMEOUTS)

  constructor(options: BucketOptions) {
    this.#options = options
    this.incoming = options.incoming
  }

  async keep(place: string, { path, bytes, sha256 }: ReceivedFile): Promise<void> {
    const sending = { sha256: sha256.toString('hex'), bytes, body: createReadStream(path) }
    await done(await this.#send('PUT', place, sending), 200)
  }

  async open(place: string): Promise<Readable> {
    const answer = await this.#send('GET', place)
    if (answer.statusCode !== 200) await done(answer, 200)
    return answer.body
  }

  async remove(place: string): Promise<void> {
    await done(await this.#send('DELETE', place), 200, 204, 404)
  }

  close(): Promise<void> {
    return this.#agent.close()
  }

  async #send(
    method: 'GET' | 'PUT' | 'DELETE',
    place: string,
    sending?: { readonly sha256: string; readonly bytes: number; readonly body: Readable },
  ): Promise<Dispatcher.ResponseData> {
    const { url, region, accessKeyId, secretAccessKey } = this.#options
    const headers = { 'x-amz-content-sha256': sending?.sha256 ?? EMPTY_SHA256 }
    const key = { accessKeyId, secretAccessKey, region, service: 's3' }
    const signed = await new AwsV4Signer({ method, url: `${url}/${place}`, headers, ...key }).sign()
    return request(signed.url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), ...(sending && { 'content-length': String(sending.bytes) }) },
      body: sending?.body ?? null,
      dispatcher: this.#agent,
    })
  }
}

/** Throws unless the store has answered with one of these. What it says to that names keys: it is not passed on. */
async function done({ statusCode, body }: Dispatcher.ResponseData, ...expected: readonly number[]): Promise<void> {
  await body.dump()
  if (!expected.includes(statusCode)) throw new Error(`the file store answered ${statusCode}`)
}
