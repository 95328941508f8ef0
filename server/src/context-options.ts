import type { ArchiveOptions } from './domains/audit/archive/archive-place.ts'
import type { DestinationOptions } from './domains/audit/delivery/open-destinations.ts'
import type { FileStoreOptions } from './domains/messaging/attachments/file-store.ts'
import type { Config } from './platform/config/config.ts'
import type { BucketConfig } from './platform/config/places.ts'
import type { Secrets } from './platform/config/secrets.ts'

function withKeys<B extends BucketConfig>(bucket: B, { fromEnvironment }: Secrets) {
  const { accessKeyIdEnv, secretAccessKeyEnv, ...rest } = bucket
  return {
    ...rest,
    accessKeyId: fromEnvironment(accessKeyIdEnv) ?? '',
    secretAccessKey: fromEnvironment(secretAccessKeyEnv) ?? '',
  }
}

export const fileStoreOptions = ({ files: { store } }: Config, secrets: Secrets): FileStoreOptions =>
  store.kind === 'folder' ? store : withKeys(store, secrets)

export const destinationOptions = (
  { checkpointDelivery: { file, bucket, http } }: Config,
  secrets: Secrets,
): DestinationOptions => ({
  file,
  bucket: bucket && withKeys(bucket, secrets),
  http: http && { url: http.url, token: secrets.fromEnvironment(http.tokenEnv) },
})

export const archiveOptions = ({ auditArchive }: Config, secrets: Secrets): ArchiveOptions | undefined =>
  auditArchive?.kind === 'bucket' ? withKeys(auditArchive, secrets) : auditArchive

export function signInOptions({ signIn }: Config, secrets: Secrets) {
  const { publicUrl, trustedProxies, oidc } = signIn
  const client = oidc && { ...oidc, clientSecret: secrets.fromEnvironment(oidc.clientSecretEnv) ?? '' }
  return { publicUrl, trustedProxies, oidc: client }
}
