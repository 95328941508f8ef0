import type { buildConnector } from 'undici'
import { BucketPlace, type BucketPlaceOptions } from './bucket-place.ts'
import { FilePlace } from './file-place.ts'
import { HttpPlace } from './http-place.ts'
import type { OutsidePlace } from './place.ts'
import { openPost } from './send.ts'

export interface PlacesOptions {
  readonly file: string | undefined
  readonly bucket: BucketPlaceOptions | undefined
  readonly http: { readonly url: string; readonly token: string | undefined } | undefined
}

/** Every place that is configured. */
export function openPlaces({ file, bucket, http }: PlacesOptions, connect: buildConnector.connector): OutsidePlace[] {
  const places: OutsidePlace[] = []
  if (file !== undefined) places.push(new FilePlace(file))
  if (bucket) places.push(new BucketPlace(bucket, openPost(connect)))
  if (http) places.push(new HttpPlace(http, openPost(connect)))
  return places
}
