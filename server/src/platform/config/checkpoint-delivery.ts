import { resolve } from 'node:path'
import { ConfigError, type Environment } from './environment.ts'

/** Destinations outside the database to which each audit checkpoint is written. Any number of them may be set. */
export interface CheckpointDeliveryConfig {
  /** Path of a file. Each checkpoint is appended as a JSON line and synced. */
  readonly file: string | undefined
  readonly bucket: CheckpointBucketConfig | undefined
  readonly http: CheckpointHttpConfig | undefined
}

/** A bucket of an S3-compatible store with object lock. Its URL may be private, because it is configured. */
export interface CheckpointBucketConfig {
  /** URL of the bucket or of a folder in it. */
  readonly url: string
  readonly region: string
  readonly lockMode: 'COMPLIANCE' | 'GOVERNANCE'
  readonly lockDays: number
  /** Names of the variables that hold the keys. */
  readonly accessKeyIdEnv: string
  readonly secretAccessKeyEnv: string
}

/** A URL that receives each checkpoint as the JSON body of a POST. */
export interface CheckpointHttpConfig {
  readonly url: string
  /** Name of the variable that holds the bearer token; it may be unset. */
  readonly tokenEnv: string
}

const PREFIX = 'GATEHOUSE_AUDIT_CHECKPOINT'
const KEYS = { accessKeyIdEnv: `${PREFIX}_ACCESS_KEY_ID`, secretAccessKeyEnv: `${PREFIX}_SECRET_ACCESS_KEY` }
const MAX_LOCK_DAYS = 36_500

export function readCheckpointDeliveryConfig(env: Environment): CheckpointDeliveryConfig {
  const { GATEHOUSE_AUDIT_CHECKPOINT_FILE: file, GATEHOUSE_AUDIT_CHECKPOINT_URL: url } = env
  return {
    file: file ? resolve(file) : undefined,
    bucket: readBucketConfig(env),
    http: url ? { url: parseUrl('GATEHOUSE_AUDIT_CHECKPOINT_URL', url), tokenEnv: `${PREFIX}_TOKEN` } : undefined,
  }
}

function readBucketConfig(env: Environment): CheckpointBucketConfig | undefined {
  const { GATEHOUSE_AUDIT_CHECKPOINT_BUCKET: url, GATEHOUSE_AUDIT_CHECKPOINT_REGION: region } = env
  if (!url) return undefined
  if (!env[KEYS.accessKeyIdEnv] || !env[KEYS.secretAccessKeyEnv]) {
    throw new ConfigError(`${PREFIX}_BUCKET needs ${KEYS.accessKeyIdEnv} and ${KEYS.secretAccessKeyEnv}`)
  }
  const lockMode = env.GATEHOUSE_AUDIT_CHECKPOINT_LOCK_MODE || 'COMPLIANCE'
  if (lockMode !== 'COMPLIANCE' && lockMode !== 'GOVERNANCE') {
    throw new ConfigError(`${PREFIX}_LOCK_MODE must be COMPLIANCE or GOVERNANCE`)
  }
  const lockDays = Number(env.GATEHOUSE_AUDIT_CHECKPOINT_LOCK_DAYS || 365)
  if (!Number.isInteger(lockDays) || lockDays < 1 || lockDays > MAX_LOCK_DAYS) {
    throw new ConfigError(`${PREFIX}_LOCK_DAYS must be a whole number from 1 to ${MAX_LOCK_DAYS}`)
  }
  const bucketUrl = parseUrl('GATEHOUSE_AUDIT_CHECKPOINT_BUCKET', url)
  if (/[?#]/.test(bucketUrl)) throw new ConfigError(`${PREFIX}_BUCKET must be a URL without query and fragment`)
  return { url: bucketUrl.replace(/\/+$/, ''), region: region || 'us-east-1', lockMode, lockDays, ...KEYS }
}

function parseUrl(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text
  throw new ConfigError(`${name} must be an http or https URL without credentials`)
}
