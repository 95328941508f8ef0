import { hostname } from 'node:os'
import { type Checkpoint, checkpointHash } from '../checkpoints/checkpoint.ts'
import {
  appendLines,
  type Bucket,
  bearer,
  type OutsideConnection,
  openConnection,
  putObject,
  sendRequest,
} from './send-request.ts'

export interface CheckpointDestination {
  readonly kind: 'file' | 'bucket' | 'http'
  readonly key: string
  /** Resolves when the checkpoint is stored durably. Throws otherwise, also after the time limit, without a secret. */
  write(checkpoint: Checkpoint, now: Date): Promise<void>
  close(): Promise<void>
}

export interface CheckpointBucket extends Bucket {
  readonly lockMode: 'COMPLIANCE' | 'GOVERNANCE'
  readonly lockDays: number
}

export interface CheckpointReceiver {
  readonly url: string
  readonly token: string | undefined
}

export interface DestinationOptions {
  readonly file: string | undefined
  readonly bucket: CheckpointBucket | undefined
  readonly http: CheckpointReceiver | undefined
}

const DAY_MS = 86_400_000
const SIZE_DIGITS = 16

export const openDestinations = ({ file, bucket, http }: DestinationOptions): CheckpointDestination[] => [
  ...(file === undefined ? [] : [fileDestination(file)]),
  ...(bucket ? [bucketDestination(bucket)] : []),
  ...(http ? [httpDestination(http)] : []),
]

/** One JSON line per checkpoint. Each node writes its own complete file. */
export const fileDestination = (path: string): CheckpointDestination => ({
  kind: 'file',
  key: `file ${hostname()} ${path}`,
  write: (checkpoint) => appendLines(path, [JSON.stringify(checkpoint)]),
  close: async () => {},
})

/** With object lock: until the retention date no account, including this server's operator, can delete or replace a checkpoint. */
export const bucketDestination = (
  { lockMode, lockDays, ...bucket }: CheckpointBucket,
  connection: OutsideConnection = openConnection(),
): CheckpointDestination => ({
  kind: 'bucket',
  key: `bucket ${bucket.url}`,
  write: (checkpoint, now) =>
    putObject(connection, bucket, {
      name: `${checkpoint.workspace_id}/${String(checkpoint.size).padStart(SIZE_DIGITS, '0')}.json`,
      body: JSON.stringify(checkpoint),
      headers: {
        'content-type': 'application/json',
        'x-amz-object-lock-mode': lockMode,
        'x-amz-object-lock-retain-until-date': new Date(now.getTime() + lockDays * DAY_MS).toISOString(),
      },
      now,
    }),
  close: () => connection.close(),
})

export const httpDestination = (
  { url, token }: CheckpointReceiver,
  connection: OutsideConnection = openConnection(),
): CheckpointDestination => ({
  kind: 'http',
  key: `http ${url}`,
  write(checkpoint) {
    // The receiver recognises a checkpoint that is delivered again after a crash.
    const headers = { 'content-type': 'application/json', 'idempotency-key': checkpointHash(checkpoint), ...bearer(token) }
    return sendRequest(connection, { method: 'POST', url, headers, body: JSON.stringify(checkpoint) })
  },
  close: () => connection.close(),
})
