import type { DestinationOptions } from './audit/delivery/open-destinations.ts'
import type { AuditBucketConfig } from './config/audit-outside.ts'
import type { Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import type { FileStoreOptions } from './messaging/attachments/open-file-store.ts'

/** Where files go, with the keys to it. */
export function fileStoreOf({ files: { store } }: Config, { fromEnvironment }: Secrets): FileStoreOptions {
  if (store.kind === 'folder') return store
  const { accessKeyIdEnv, secretAccessKeyEnv, ...bucket } = store
  return {
    ...bucket,
    accessKeyId: fromEnvironment(accessKeyIdEnv) ?? '',
    secretAccessKey: fromEnvironment(secretAccessKeyEnv) ?? '',
  }
}

/** Where checkpoints are written outside, with the keys to it. */
export function outsideOf({ auditOutside: { file, bucket, http } }: Config, { fromEnvironment }: Secrets): DestinationOptions {
  const keysOf = ({ accessKeyIdEnv, secretAccessKeyEnv }: AuditBucketConfig) => ({
    accessKeyId: fromEnvironment(accessKeyIdEnv) ?? '',
    secretAccessKey: fromEnvironment(secretAccessKeyEnv) ?? '',
  })
  return {
    file,
    bucket: bucket && { ...bucket, ...keysOf(bucket) },
    http: http && { url: http.url, token: fromEnvironment(http.tokenEnv) },
  }
}

/** How people sign in, with the secret of single sign-on. */
export function signInOf({ signIn: { publicUrl, trustedProxies, oidc } }: Config, { secretKey, fromEnvironment }: Secrets) {
  const client = oidc && { ...oidc, clientSecret: fromEnvironment(oidc.clientSecretEnv) ?? '' }
  return { secretKey, publicUrl, trustedProxies, oidc: client }
}
