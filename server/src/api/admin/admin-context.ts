import type { AuditWatch } from '../../domains/audit/checkpoints/watch.ts'
import type { DocumentFetcher } from '../../domains/knowledge/document-fetcher.ts'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import type { WebhookDispatcher } from '../../domains/messaging/events/webhook-dispatcher.ts'
import type { WebhookSender } from '../../domains/messaging/events/webhook-sender.ts'
import type { Mailer } from '../../domains/notifications/mail/mailer.ts'
import type { AdminAuthenticator } from '../../domains/operators/admin-authenticator.ts'
import type { SignIn } from '../../domains/operators/sign-in.ts'
import type { Health } from '../../domains/providers/health.ts'
import type { Provider } from '../../domains/providers/provider.ts'
import type { PipelineDeps } from '../../pipeline/pipeline.ts'
import type { Reads } from '../../platform/db/reads.ts'
import type { Signal } from '../../platform/db/signal.ts'
import type { Cache } from '../../platform/lib/cache.ts'
import type { SecretBox, SecretKeys } from '../../platform/lib/secret-box.ts'
import type { Shutdown } from '../../platform/lib/shutdown.ts'
import type { ChatLimits } from '../gateway/chat-request.ts'

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
