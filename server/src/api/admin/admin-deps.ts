import type { AuditWatch } from '../../domains/audit/checkpoints/watch.ts'
import { assess } from '../../domains/classification/risk.ts'
import { scan } from '../../domains/classification/scan.ts'
import type { SourceWorker } from '../../domains/knowledge/sources/source-worker.ts'
import type { UploadWorker } from '../../domains/knowledge/upload-worker.ts'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import type { WebhookDispatcher } from '../../domains/messaging/events/webhook-dispatcher.ts'
import type { WebhookSender } from '../../domains/messaging/events/webhook-sender.ts'
import type { Mailer } from '../../domains/notifications/mail/mailer.ts'
import type { AdminAuthenticator } from '../../domains/operators/admin-authenticator.ts'
import type { SignIn } from '../../domains/operators/sign-in.ts'
import { EvaluationLimiter } from '../../domains/policy/evaluation-limiter.ts'
import type { Health } from '../../domains/providers/health.ts'
import type { Provider } from '../../domains/providers/provider.ts'
import type { PipelineDeps } from '../../pipeline/pipeline.ts'
import type { Reads } from '../../platform/db/reads.ts'
import type { Signal } from '../../platform/db/signal.ts'
import type { Cache } from '../../platform/lib/cache.ts'
import type { SecretBox, SecretKeys } from '../../platform/lib/secret-box.ts'
import type { Shutdown } from '../../platform/lib/shutdown.ts'
import { DEFAULT_SETTINGS } from '../../shared/principal.ts'
import type { ChatLimits } from '../gateway/chat-request.ts'

export interface AdminContext extends PipelineDeps {
  readonly adminAuthenticator: AdminAuthenticator
  readonly signIn: Pick<SignIn, 'authenticate' | 'origin' | 'issuer' | 'singleSignOn'>
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
  readonly uploads: Pick<UploadWorker, 'process' | 'wake'>
  readonly sources: Pick<SourceWorker, 'wake'>
  readonly sourceBox: SecretBox
  readonly mailer: Pick<Mailer, 'send' | 'from'> | undefined
  readonly config: {
    readonly allowPrivateUrls: boolean
    readonly dataDir: string
    readonly sizes: { readonly bodyBytes: number }
    readonly signIn: { readonly publicUrl: string | undefined }
  }
}

export type AdminDeps = ReturnType<typeof adminDeps>

/** The context, and what it does not hold itself: detection in texts that are no requests. */
export const adminDeps = (context: AdminContext) => ({
  ...context,
  ...detection(context),
  evaluationLimiter: new EvaluationLimiter(),
})

function detection({ detectors, detectorBudgetMs: budgetMs }: AdminContext) {
  const options = { detectors, budgetMs }
  const initial = { classification: DEFAULT_SETTINGS.default_classification, risk: 'low' } as const
  return {
    scanTexts: (texts: readonly string[]) => scan(texts, options),
    testTools: {
      detect: (text: string) => scan([text], options).counts,
      assess: (findings: Parameters<typeof assess>[0]) => assess(findings, initial),
    },
  }
}
