import { resolve } from 'node:path'
import { ConfigError, type Environment } from './environment.ts'

/** Where segments of the audit log are archived. */
export type AuditArchiveConfig =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 'bucket'
      /** URL of the bucket or of a folder in it. */
      readonly url: string
      readonly region: string
      /** Names of the variables that hold the keys. */
      readonly accessKeyIdEnv: string
      readonly secretAccessKeyEnv: string
    }

const NAME = 'GATEHOUSE_AUDIT_ARCHIVE'
const KEYS = { accessKeyIdEnv: `${NAME}_ACCESS_KEY_ID`, secretAccessKeyEnv: `${NAME}_SECRET_ACCESS_KEY` }

/** `GATEHOUSE_AUDIT_ARCHIVE` is a folder, or the http or https URL of a bucket. Throws a ConfigError. */
export function readAuditArchiveConfig(env: Environment): AuditArchiveConfig | undefined {
  const { GATEHOUSE_AUDIT_ARCHIVE: place, GATEHOUSE_AUDIT_ARCHIVE_REGION: region } = env
  if (!place) return undefined
  if (!/^https?:/i.test(place)) return { kind: 'folder', folder: resolve(place) }
  const url = URL.parse(place)
  if (!url || url.username || url.password || /[?#]/.test(place))
    throw new ConfigError(`${NAME} must be a folder, or an http or https URL without credentials, query and fragment`)
  if (!env[KEYS.accessKeyIdEnv] || !env[KEYS.secretAccessKeyEnv])
    throw new ConfigError(`${NAME} is a bucket, so it needs ${KEYS.accessKeyIdEnv} and ${KEYS.secretAccessKeyEnv}`)
  return { kind: 'bucket', url: place.replace(/\/+$/, ''), region: region || 'us-east-1', ...KEYS }
}
