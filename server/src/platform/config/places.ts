import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ConfigError, type Environment, integer, isPlainUrl, oneOf } from './environment.ts'

/** A bucket of an S3-compatible store. Its URL may be private, because it is configured. */
export interface BucketConfig {
  /** URL of the bucket or of a folder in it, for example `https://s3.eu-central-1.amazonaws.com/acme-files`. */
  readonly url: string
  readonly region: string
  /** Names of the variables that hold the keys; the keys themselves stay in the environment. */
  readonly accessKeyIdEnv: string
  readonly secretAccessKeyEnv: string
}

/** The bucket whose URL is in the variable `name`. The variables of its region and keys begin with `prefix`. */
function readBucket(env: Environment, name: string, prefix: string): BucketConfig | undefined {
  const url = env[name]
  if (!url) return undefined
  if (!isPlainUrl(url)) throw new ConfigError(`${name} must be an http or https URL without credentials, query and fragment`)
  const keys = { accessKeyIdEnv: `${prefix}_ACCESS_KEY_ID`, secretAccessKeyEnv: `${prefix}_SECRET_ACCESS_KEY` }
  if (!env[keys.accessKeyIdEnv] || !env[keys.secretAccessKeyEnv])
    throw new ConfigError(`${name} names a bucket, so it needs ${keys.accessKeyIdEnv} and ${keys.secretAccessKeyEnv}`)
  return { url: url.replace(/\/+$/, ''), region: env[`${prefix}_REGION`] || 'us-east-1', ...keys }
}

const TYPE = /^[\w.+-]+\/(?:\*|[\w.+-]+)$/

/** Storage of attachments. `types`: media types that may be uploaded, for example `image/*`; undefined: all except programs. */
export const readFilesConfig = (env: Environment, dataDir: string, maxBytes: number) => ({
  maxBytes,
  types: readTypes(env),
  store: readStore(env, dataDir),
})

function readStore(env: Environment, dataDir: string) {
  const { GATEHOUSE_FILES: path } = env
  const bucket = readBucket(env, 'GATEHOUSE_FILES_BUCKET', 'GATEHOUSE_FILES')
  if (!bucket) return { kind: 'folder' as const, path: path ? resolve(path) : join(dataDir, 'files') }
  if (path) throw new ConfigError('GATEHOUSE_FILES and GATEHOUSE_FILES_BUCKET exclude each other: set one')
  // For uploads that are not in the bucket yet. With PostgreSQL a node may have no writable data folder.
  const incoming = env.DATABASE_URL ? join(tmpdir(), 'gatehouse-incoming') : join(dataDir, 'incoming')
  return { kind: 'bucket' as const, ...bucket, incoming }
}

function readTypes({ GATEHOUSE_FILE_TYPES: text }: Environment): readonly string[] | undefined {
  if (!text) return undefined
  const list = text.split(',').flatMap((type) => type.trim().toLowerCase() || [])
  if (list.length > 0 && list.every((type) => TYPE.test(type))) return list
  throw new ConfigError('GATEHOUSE_FILE_TYPES must be media types separated by commas, for example image/*,application/pdf')
}

const PREFIX = 'GATEHOUSE_AUDIT_CHECKPOINT'

/**
 * Places outside the database to which each audit checkpoint is written, any number of them: a file to which a JSON line is appended and
 * synced; a bucket with object lock; a URL that receives a POST. `tokenEnv`: variable of the URL's bearer token, which may be unset.
 */
export function readCheckpointDeliveryConfig(env: Environment) {
  const { GATEHOUSE_AUDIT_CHECKPOINT_FILE: file, GATEHOUSE_AUDIT_CHECKPOINT_URL: url } = env
  const bucket = readBucket(env, 'GATEHOUSE_AUDIT_CHECKPOINT_BUCKET', PREFIX)
  return {
    file: file ? resolve(file) : undefined,
    bucket: bucket && {
      ...bucket,
      lockMode: oneOf(env, 'GATEHOUSE_AUDIT_CHECKPOINT_LOCK_MODE', 'COMPLIANCE', ['COMPLIANCE', 'GOVERNANCE']),
      lockDays: integer(env, 'GATEHOUSE_AUDIT_CHECKPOINT_LOCK_DAYS', 365, 1, 36_500),
    },
    http: url ? { url: receiverUrl('GATEHOUSE_AUDIT_CHECKPOINT_URL', url), tokenEnv: `${PREFIX}_TOKEN` } : undefined,
  }
}

/** The URL of a receiver may have a query, for example with a signature. */
function receiverUrl(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text
  throw new ConfigError(`${name} must be an http or https URL without credentials`)
}

/** `GATEHOUSE_AUDIT_ARCHIVE` is a folder, or the http or https URL of a bucket. */
export function readAuditArchiveConfig(env: Environment) {
  const { GATEHOUSE_AUDIT_ARCHIVE: place } = env
  if (place && !/^https?:/i.test(place)) return { kind: 'folder' as const, folder: resolve(place) }
  const bucket = readBucket(env, 'GATEHOUSE_AUDIT_ARCHIVE', 'GATEHOUSE_AUDIT_ARCHIVE')
  return bucket && { kind: 'bucket' as const, ...bucket }
}
