import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { amzTime, type DestinationConnection, sendRequest } from '../delivery/send-request.ts'
import type { ArchivePlace } from './archive-place.ts'

export interface ArchiveBucket {
  /** URL of the bucket or of a folder in it. */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** A bucket of an S3-compatible store. */
export class BucketPlace implements ArchivePlace {
  readonly key: string
  readonly #bucket: ArchiveBucket
  readonly #connection: DestinationConnection

  constructor(bucket: ArchiveBucket, connection: DestinationConnection) {
    this.#bucket = bucket
    this.#connection = connection
    this.key = `archive ${bucket.url}`
  }

  async write(name: string, segment: Buffer, now: Date): Promise<void> {
    const { url, region, accessKeyId, secretAccessKey } = this.#bucket
    const headers = {
      'content-type': 'application/gzip',
      'content-md5': createHash('md5').update(segment).digest('base64'),
      'x-amz-content-sha256': createHash('sha256').update(segment).digest('hex'),
    }
    const key = { accessKeyId, secretAccessKey, region, service: 's3', datetime: amzTime(now) }
    const signed = await new AwsV4Signer({ method: 'PUT', url: `${url}/${name}`, headers, ...key }).sign()
    await sendRequest(this.#connection, {
      method: 'PUT',
      url: signed.url.toString(),
      headers: Object.fromEntries(signed.headers),
      body: segment,
    })
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
