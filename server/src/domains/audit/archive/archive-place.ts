import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '../../../platform/lib/id.ts'
import { type Bucket, openConnection, putObject, replaceFile } from '../delivery/send-request.ts'

export interface ArchivePlace {
  readonly key: string
  /** Resolves when the segment is stored durably under `name`, a path with slashes, and replaces one of that name. Throws otherwise, without a secret. */
  write(name: string, segment: Buffer, now: Date): Promise<void>
  close(): Promise<void>
}

export type ArchiveOptions = { readonly kind: 'folder'; readonly folder: string } | ({ readonly kind: 'bucket' } & Bucket)

const WRITE_MS = 60_000

export function openArchive(options: ArchiveOptions | undefined): ArchivePlace | undefined {
  if (!options) return undefined
  return options.kind === 'folder' ? folderPlace(options.folder) : bucketPlace(options)
}

function bucketPlace(bucket: Bucket): ArchivePlace {
  const connection = openConnection(WRITE_MS)
  const headers = { 'content-type': 'application/gzip' }
  return {
    key: `archive ${bucket.url}`,
    write: (name, body, now) => putObject(connection, bucket, { name, body, headers, now }),
    close: () => connection.close(),
  }
}

const folderPlace = (folder: string): ArchivePlace => ({
  key: `archive ${folder}`,
  async write(name, segment) {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await replaceFile(path, segment, `${path}.${newId('part')}`)
  },
  close: async () => {},
})
