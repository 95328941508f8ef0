import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { AdminAuthenticator } from '../applications/admin-authenticator.ts'
import type { AuditWatch } from '../audit/watch.ts'
import type { Signal } from '../db/signal.ts'
import type { Operator } from '../domain/operator.ts'
import type { ChatLimits } from '../gateway/chat-request.ts'
import type { Cache } from '../lib/cache.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { WebhookDispatcher } from '../messaging/events/dispatcher.ts'
import type { SignIn } from '../operators/sign-in.ts'
import type { PipelineDeps } from '../pipeline/pipeline.ts'
import type { Health } from '../providers/health.ts'
import type { Provider } from '../providers/provider.ts'
import type { DocumentFetcher } from './document-fetcher.ts'
import type { Trials } from './trials.ts'

/** What the operators' API works with; the composition root has it all. */
export interface AdminDeps extends PipelineDeps {
  readonly adminAuthenticator: AdminAuthenticator
  readonly signIn: Pick<SignIn, 'authenticate' | 'origin'>
  readonly signal: Signal
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
  readonly webhookBox: SecretBox
  readonly webhooks: Pick<WebhookDispatcher, 'wake' | 'changed'>
  readonly providers: Cache<readonly Provider[]>
  readonly health: Health
  readonly chatLimits: ChatLimits
  readonly jsonDepth: number
  readonly trials: Trials
  readonly auditWatch: AuditWatch
  readonly documentFetcher: Pick<DocumentFetcher, 'fetch'>
  readonly config: { readonly allowPrivateUrls: boolean; readonly sizes: { readonly bodyBytes: number } }
}

/** Routes whose handlers know the types of their schemas. */
export type AdminApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** Admin API: who asks. */
    operator: Operator
    /** Admin API, routes within a Workspace: which one (`ws_…`). */
    workspaceId: string
  }
}
