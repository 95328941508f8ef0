import { ConfigError, type Environment, isPlainUrl } from './environment.ts'

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
export function readBucket(env: Environment, name: string, prefix: string): BucketConfig | undefined {
  const url = env[name]
  if (!url) return undefined
  if (!isPlainUrl(url)) throw new ConfigError(`${name} must be an http or https URL without credentials, query and fragment`)
  const keys = { accessKeyIdEnv: `${prefix}_ACCESS_KEY_ID`, secretAccessKeyEnv: `${prefix}_SECRET_ACCESS_KEY` }
  if (!env[keys.accessKeyIdEnv] || !env[keys.secretAccessKeyEnv])
    throw new ConfigError(`${name} names a bucket, so it needs ${keys.accessKeyIdEnv} and ${keys.secretAccessKeyEnv}`)
  return { url: url.replace(/\/+$/, ''), region: env[`${prefix}_REGION`] || 'us-east-1', ...keys }
}
