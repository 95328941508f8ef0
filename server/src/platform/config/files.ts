import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ConfigError, type Environment } from './environment.ts'

/** Storage of attachments, and limits for uploads. */
export interface FilesConfig {
  readonly maxBytes: number
  /** Media types that may be uploaded, for example `image/*`. Undefined: all except programs. */
  readonly types: readonly string[] | undefined
  readonly store: FolderConfig | BucketConfig
}

interface FolderConfig {
  readonly kind: 'folder'
  readonly path: string
}

/** A bucket of an S3-compatible store. Its URL may be private, because it is configured. */
interface BucketConfig {
  readonly kind: 'bucket'
  /** URL of the bucket, for example `https://s3.eu-central-1.amazonaws.com/acme-files`. */
  readonly url: string
  readonly region: string
  /** Names of the variables that hold the keys; the keys themselves stay in the environment. */
  readonly accessKeyIdEnv: string
  readonly secretAccessKeyEnv: string
  /** Local folder for uploads that are not in the bucket yet. */
  readonly incoming: string
}

const KEYS = { accessKeyIdEnv: 'GATEHOUSE_FILES_ACCESS_KEY_ID', secretAccessKeyEnv: 'GATEHOUSE_FILES_SECRET_ACCESS_KEY' }
const TYPE = /^[\w.+-]+\/(?:\*|[\w.+-]+)$/

export function readFilesConfig(env: Environment, dataDir: string, maxBytes: number): FilesConfig {
  return { maxBytes, types: readTypes(env), store: readBucketConfig(env, dataDir) ?? readFolderConfig(env, dataDir) }
}

const readFolderConfig = ({ GATEHOUSE_FILES: path }: Environment, dataDir: string): FolderConfig => ({
  kind: 'folder',
  path: path ? resolve(path) : join(dataDir, 'files'),
})

function readBucketConfig(env: Environment, dataDir: string): BucketConfig | undefined {
  const { GATEHOUSE_FILES_BUCKET: url, GATEHOUSE_FILES: path, GATEHOUSE_FILES_REGION: region } = env
  if (!url) return undefined
  if (path) throw new ConfigError('GATEHOUSE_FILES and GATEHOUSE_FILES_BUCKET exclude each other: set one')
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password || /[?#]/.test(url)) {
    throw new ConfigError('GATEHOUSE_FILES_BUCKET must be an http or https URL without credentials, query or fragment')
  }
  if (!env[KEYS.accessKeyIdEnv] || !env[KEYS.secretAccessKeyEnv]) {
    throw new ConfigError(`GATEHOUSE_FILES_BUCKET needs ${KEYS.accessKeyIdEnv} and ${KEYS.secretAccessKeyEnv}`)
  }
  return {
    kind: 'bucket',
    url: url.replace(/\/+$/, ''),
    region: region || 'us-east-1',
    ...KEYS,
    // With PostgreSQL a node may have no writable data folder.
    incoming: env.DATABASE_URL ? join(tmpdir(), 'gatehouse-incoming') : join(dataDir, 'incoming'),
  }
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
