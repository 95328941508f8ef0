import { resolve } from 'node:path'
import { type BucketConfig, readBucket } from './bucket.ts'
import { ConfigError, type Environment, integer, oneOf } from './environment.ts'

/** Destinations outside the database to which each audit checkpoint is written. Any number of them may be set. */
export interface CheckpointDeliveryConfig {
  /** Path of a file. Each checkpoint is appended as a JSON line and synced. */
  readonly file: string | undefined
  /** A bucket with object lock. */
  readonly bucket: (BucketConfig & { readonly lockMode: 'COMPLIANCE' | 'GOVERNANCE'; readonly lockDays: number }) | undefined
  /** A URL that receives each checkpoint as the JSON body of a POST. `tokenEnv`: variable of the bearer token; it may be unset. */
  readonly http: { readonly url: string; readonly tokenEnv: string } | undefined
}

const PREFIX = 'GATEHOUSE_AUDIT_CHECKPOINT'
const MAX_LOCK_DAYS = 36_500

export function readCheckpointDeliveryConfig(env: Environment): CheckpointDeliveryConfig {
  const { GATEHOUSE_AUDIT_CHECKPOINT_FILE: file, GATEHOUSE_AUDIT_CHECKPOINT_URL: url } = env
  const bucket = readBucket(env, 'GATEHOUSE_AUDIT_CHECKPOINT_BUCKET', PREFIX)
  return {
    file: file ? resolve(file) : undefined,
    bucket: bucket && {
      ...bucket,
      lockMode: oneOf(env, 'GATEHOUSE_AUDIT_CHECKPOINT_LOCK_MODE', 'COMPLIANCE', ['COMPLIANCE', 'GOVERNANCE']),
      lockDays: integer(env, 'GATEHOUSE_AUDIT_CHECKPOINT_LOCK_DAYS', 365, 1, MAX_LOCK_DAYS),
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

/** Where segments of the audit log are archived. */
export type AuditArchiveConfig =
  | { readonly kind: 'folder'; readonly folder: string }
  | ({ readonly kind: 'bucket' } & BucketConfig)

/** `GATEHOUSE_AUDIT_ARCHIVE` is a folder, or the http or https URL of a bucket. */
export function readAuditArchiveConfig(env: Environment): AuditArchiveConfig | undefined {
  const { GATEHOUSE_AUDIT_ARCHIVE: place } = env
  if (place && !/^https?:/i.test(place)) return { kind: 'folder', folder: resolve(place) }
  const bucket = readBucket(env, 'GATEHOUSE_AUDIT_ARCHIVE', 'GATEHOUSE_AUDIT_ARCHIVE')
  return bucket && { kind: 'bucket', ...bucket }
}
