import { guardedConnector } from '../../../platform/lib/url-guard.ts'
import { openConnection } from '../delivery/send-request.ts'
import type { ArchivePlace } from './archive-place.ts'
import { type ArchiveBucket, BucketPlace } from './bucket-place.ts'
import { FolderPlace } from './folder-place.ts'

export type ArchiveOptions = { readonly kind: 'folder'; readonly folder: string } | ({ readonly kind: 'bucket' } & ArchiveBucket)

const CONNECT_MS = 5_000
/** A segment has a few megabytes. */
const WRITE_MS = 60_000

/** The URL of a bucket comes from the environment, so it may be private. */
export function openArchive(options: ArchiveOptions | undefined): ArchivePlace | undefined {
  if (!options) return undefined
  return options.kind === 'folder'
    ? new FolderPlace(options.folder)
    : new BucketPlace(options, openConnection(guardedConnector(true, CONNECT_MS), WRITE_MS))
}
