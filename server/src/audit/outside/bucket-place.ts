import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { Checkpoint } from '../checkpoint.ts'
import type { OutsidePlace } from './place.ts'
import { type Post, sendOutside } from './send.ts'

export interface BucketPlaceOptions {
  readonly url: string
  readonly region: string
  readonly lockMode: 'COMPLIANCE' | 'GOVERNANCE'
  readonly lockDays: number
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const DAY_MS = 86_400_000
const SIZE_DIGITS = 16

/** A bucket with object lock: nobody deletes or replaces a checkpoint there before its time, the operator of this server included. */
export class BucketPlace implements OutsidePlace {
  readonly kind = 'bucket'
  readonly key: string
  readonly #options: BucketPlaceOptions
  readonly #post: Post

  constructor(options: BucketPlaceOptions, post: Post) {
    this.#options = options
    this.#post = post
    this.key = `bucket ${options.url}`
  }

  async write(checkpoint: Checkpoint, now: Date): Promise<void> {
    const { url, region, lockMode, lockDays, accessKeyId, secretAccessKey } = this.#options
    const body = JSON.stringify(checkpoint)
    const name = `${checkpoint.workspace_id}/${String(checkpoint.size).padStart(SIZE_DIGITS, '0')}.json`
    const headers = {
      'content-type': 'application/json',
      'content-md5': createHash('md5').update(body).digest('base64'),
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
      'x-amz-object-lock-mode': lockMode,
      'x-amz-object-lock-retain-until-date': new Date(now.getTime() + lockDays * DAY_MS).toISOString(),
    }
    const key = { accessKeyId, secretAccessKey, region, service: 's3', datetime: amzTime(now) }
    const signed = await new AwsV4Signer({ method: 'PUT', url: `${url}/${name}`, headers, ...key }).sign()
    await sendOutside(this.#post, {
      method: 'PUT',
      url: signed.url.toString(),
      headers: Object.fromEntries(signed.headers),
      body,
    })
  }

  close(): Promise<void> {
    return this.#post.close()
  }
}

/** `20260301T000000Z` */
const amzTime = (now: Date): string => now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
