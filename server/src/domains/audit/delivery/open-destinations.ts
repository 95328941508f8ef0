import { guardedConnector } from '../../../platform/lib/url-guard.ts'
import { BucketDestination, type BucketOptions } from './bucket-destination.ts'
import type { CheckpointDestination } from './destination.ts'
import { FileDestination } from './file-destination.ts'
import { HttpDestination } from './http-destination.ts'
import { openConnection } from './send-request.ts'

export interface DestinationOptions {
  readonly file: string | undefined
  readonly bucket: BucketOptions | undefined
  readonly http: { readonly url: string; readonly token: string | undefined } | undefined
}

const CONNECT_MS = 5_000

/** Opens all configured destinations. Their URLs come from the environment, so they may be private. */
export function openDestinations({ file, bucket, http }: DestinationOptions): CheckpointDestination[] {
  const connect = guardedConnector(true, CONNECT_MS)
  const destinations: CheckpointDestination[] = []
  if (file !== undefined) destinations.push(new FileDestination(file))
  if (bucket) destinations.push(new BucketDestination(bucket, openConnection(connect)))
  if (http) destinations.push(new HttpDestination(http, openConnection(connect)))
  return destinations
}
