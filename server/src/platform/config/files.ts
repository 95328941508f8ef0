import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BucketConfig, readBucket } from './bucket.ts'
import { ConfigError, type Environment } from './environment.ts'

/** Storage of attachments, and limits for uploads. */
export interface FilesConfig {
  readonly maxBytes: number
  /** Media types that may be uploaded, for example `image/*`. Undefined: all except programs. */
  readonly types: readonly string[] | undefined
  readonly store:
    | { readonly kind: 'folder'; readonly path: string }
    /** `incoming`: local folder for uploads that are not in the bucket yet. */
    | ({ readonly kind: 'bucket'; readonly incoming: string } & BucketConfig)
}

const TYPE = /^[\w.+-]+\/(?:\*|[\w.+-]+)$/

export const readFilesConfig = (env: Environment, dataDir: string, maxBytes: number): FilesConfig => ({
  maxBytes,
  types: readTypes(env),
  store: readStore(env, dataDir),
})

function readStore(env: Environment, dataDir: string): FilesConfig['store'] {
  const { GATEHOUSE_FILES: path } = env
  const bucket = readBucket(env, 'GATEHOUSE_FILES_BUCKET', 'GATEHOUSE_FILES')
  if (!bucket) return { kind: 'folder', path: path ? resolve(path) : join(dataDir, 'files') }
  if (path) throw new ConfigError('GATEHOUSE_FILES and GATEHOUSE_FILES_BUCKET exclude each other: set one')
  // With PostgreSQL a node may have no writable data folder.
  const incoming = env.DATABASE_URL ? join(tmpdir(), 'gatehouse-incoming') : join(dataDir, 'incoming')
  return { kind: 'bucket', ...bucket, incoming }
}

function readTypes({ GATEHOUSE_FILE_TYPES: text }: Environment): readonly string[] | undefined {
  if (!text) return undefined
  const list = text
    .split(',')
    .map((type) => type.trim().toLowerCase())
    .filter((type) => type !== '')
  if (list.length > 0 && list.every((type) => TYPE.test(type))) return list
  throw new ConfigError('GATEHOUSE_FILE_TYPES must be media types separated by commas, for example image/*,application/pdf')
}
