import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { Checkpoint } from '../checkpoints/checkpoint.ts'
import type { CheckpointDestination } from './destination.ts'
import { amzTime, type DestinationConnection, sendRequest } from './send-request.ts'

export interface BucketOptions {
  readonly url: string
  readonly region: string
  readonly lockMode: 'COMPLIANCE' | 'GOVERNANCE'
  readonly lockDays: number
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const DAY_MS = 86_400_000
const SIZE_DIGITS = 16

/**
 * A bucket with object lock: until the retention date no account, including this server's operator, can delete or replace a
 * checkpoint.
 */
export class BucketDestination implements CheckpointDestination {
  readonly kind = 'bucket'
  readonly key: string
  readonly #options: BucketOptions
  readonly #connection: DestinationConnection

  constructor(options: BucketOptions, connection: DestinationConnection) {
    this.#options = options
    this.#connection = connection
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
    const sent = { url: signed.url.toString(), headers: Object.fromEntries(signed.headers), body }
    await sendRequest(this.#connection, { method: 'PUT', ...sent })
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
