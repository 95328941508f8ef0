import type { ArchiveOptions } from './domains/audit/archive/archive-place.ts'
import type { DestinationOptions } from './domains/audit/delivery/open-destinations.ts'
import type { FileStoreOptions } from './domains/messaging/attachments/open-file-store.ts'
import type { PasswordHashing } from './domains/operators/better-auth.ts'
import type { CheckpointBucketConfig } from './platform/config/checkpoint-delivery.ts'
import type { Config } from './platform/config/config.ts'
import type { Secrets } from './platform/config/secrets.ts'

/** The file store of the configuration, with its credentials. */
export function fileStoreOptions({ files: { store } }: Config, { fromEnvironment }: Secrets): FileStoreOptions {
  if (store.kind === 'folder') return store
  const { accessKeyIdEnv, secretAccessKeyEnv, ...bucket } = store
  return {
    ...bucket,
    accessKeyId: fromEnvironment(accessKeyIdEnv) ?? '',
    secretAccessKey: fromEnvironment(secretAccessKeyEnv) ?? '',
  }
}

/** The external destinations of checkpoints, with their credentials. */
export function destinationOptions(
  { checkpointDelivery: { file, bucket, http } }: Config,
  { fromEnvironment }: Secrets,
): DestinationOptions {
  const credentialsOf = ({ accessKeyIdEnv, secretAccessKeyEnv }: CheckpointBucketConfig) => ({
    accessKeyId: fromEnvironment(accessKeyIdEnv) ?? '',
    secretAccessKey: fromEnvironment(secretAccessKeyEnv) ?? '',
  })
  return {
    file,
    bucket: bucket && { ...bucket, ...credentialsOf(bucket) },
    http: http && { url: http.url, token: fromEnvironment(http.tokenEnv) },
  }
}

/** The archive of the audit log, with its credentials. */
export function archiveOptions({ auditArchive }: Config, { fromEnvironment }: Secrets): ArchiveOptions | undefined {
  if (auditArchive?.kind !== 'bucket') return auditArchive
  const { accessKeyIdEnv, secretAccessKeyEnv, ...bucket } = auditArchive
  return {
    ...bucket,
    accessKeyId: fromEnvironment(accessKeyIdEnv) ?? '',
    secretAccessKey: fromEnvironment(secretAccessKeyEnv) ?? '',
  }
}

interface SignInGiven {
  readonly config: Config
  readonly secrets: Secrets
  readonly overrides: { readonly passwords?: PasswordHashing | undefined }
}

/** How operators sign in, with the client secret of single sign-on. */
export function signInOptions({ config, secrets, overrides: { passwords } }: SignInGiven) {
  const { publicUrl, trustedProxies, oidc } = config.signIn
  const client = oidc && { ...oidc, clientSecret: secrets.fromEnvironment(oidc.clientSecretEnv) ?? '' }
  return { publicUrl, trustedProxies, oidc: client, passwords }
}
