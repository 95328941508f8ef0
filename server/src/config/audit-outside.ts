import { resolve } from 'node:path'
import { ConfigError, type Environment } from './environment.ts'

/** Where each audit checkpoint is written outside the database; any number of them. */
export interface AuditOutsideConfig {
  /** A JSON line for each is appended and synced. */
  readonly file: string | undefined
  readonly bucket: AuditBucketConfig | undefined
  readonly http: AuditHttpConfig | undefined
}

/** A bucket of an S3-compatible store that has object lock. Its URL counts as configured: it may be private. */
export interface AuditBucketConfig {
  /** Of the bucket, or of a folder in it. */
  readonly url: string
  readonly region: string
  readonly lockMode: 'COMPLIANCE' | 'GOVERNANCE'
  readonly lockDays: number
  /** Names of the variables that hold the keys. */
  readonly accessKeyIdEnv: string
  readonly secretAccessKeyEnv: string
}

/** Gets each checkpoint as the JSON body of a POST. */
export interface AuditHttpConfig {
  readonly url: string
  /** Name of the variable that holds the bearer token; it may be unset. */
  readonly tokenEnv: string
}

const PREFIX = 'GATEHOUSE_AUDIT_CHECKPOINT'
const KEYS = { accessKeyIdEnv: `${PREFIX}_ACCESS_KEY_ID`, secretAccessKeyEnv: `${PREFIX}_SECRET_ACCESS_KEY` }
const MAX_LOCK_DAYS = 36_500

export function auditOutside(env: Environment): AuditOutsideConfig {
  const { GATEHOUSE_AUDIT_CHECKPOINT_FILE: file, GATEHOUSE_AUDIT_CHECKPOINT_URL: url } = env
  return {
    file: file ? resolve(file) : undefined,
    bucket: bucket(env),
    http: url ? { url: address('GATEHOUSE_AUDIT_CHECKPOINT_URL', url), tokenEnv: `${PREFIX}_TOKEN` } : undefined,
  }
}

function bucket(env: Environment): AuditBucketConfig | undefined {
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
  const place = address('GATEHOUSE_AUDIT_CHECKPOINT_BUCKET', url)
  if (/[?#]/.test(place)) throw new ConfigError(`${PREFIX}_BUCKET must be a URL without query and fragment`)
  return { url: place.replace(/\/+$/, ''), region: region || 'us-east-1', lockMode, lockDays, ...KEYS }
}

function address(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return text
  throw new ConfigError(`${name} must be an http or https URL without credentials`)
}
