import type { AuditWatch } from '../audit/checkpoints/watch.ts'
import type { Reads } from '../db/reads.ts'
import type { Signal } from '../db/signal.ts'
import type { ChatLimits } from '../gateway/chat-request.ts'
import type { DocumentFetcher } from '../knowledge/document-fetcher.ts'
import type { Cache } from '../lib/cache.ts'
import type { SecretBox, SecretKeys } from '../lib/secret-box.ts'
import type { Shutdown } from '../lib/shutdown.ts'
import type { FileStore } from '../messaging/attachments/file-store.ts'
import type { WebhookDispatcher } from '../messaging/events/webhook-dispatcher.ts'
import type { WebhookSender } from '../messaging/events/webhook-sender.ts'
import type { Mailer } from '../notifications/mail/mailer.ts'
import type { AdminAuthenticator } from '../operators/admin-authenticator.ts'
import type { SignIn } from '../operators/sign-in.ts'
import type { PipelineDeps } from '../pipeline/pipeline.ts'
import type { Health } from '../providers/health.ts'
import type { Provider } from '../providers/provider.ts'

/** Dependencies of the admin API. */
export interface AdminContext extends PipelineDeps {
  readonly adminAuthenticator: AdminAuthenticator
  readonly signIn: Pick<SignIn, 'authenticate' | 'origin'>
  readonly signal: Signal
  readonly reads: Reads
  readonly secrets: SecretKeys
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
  readonly webhookBox: SecretBox
  readonly webhookSender: Pick<WebhookSender, 'send'>
  readonly files: Pick<FileStore, 'open'>
  readonly webhooks: Pick<WebhookDispatcher, 'wake' | 'changed'>
  readonly providers: Cache<readonly Provider[]>
  readonly health: Health
  readonly chatLimits: ChatLimits
  readonly jsonDepth: number
  readonly auditWatch: AuditWatch
  readonly shutdown: Pick<Shutdown, 'stopping'>
  readonly documentFetcher: Pick<DocumentFetcher, 'fetch'>
  readonly mailer: Pick<Mailer, 'send' | 'from'> | undefined
  readonly config: {
    readonly allowPrivateUrls: boolean
    readonly dataDir: string
    readonly sizes: { readonly bodyBytes: number }
    readonly signIn: { readonly publicUrl: string | undefined }
  }
}
