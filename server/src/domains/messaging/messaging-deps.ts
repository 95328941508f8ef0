import type { Logger } from 'pino'
import type { PipelineDeps } from '../../pipeline/pipeline.ts'
import type { Signal } from '../../platform/db/signal.ts'
import type { FileStore } from './attachments/file-store.ts'
import type { FileLimits } from './attachments/store-upload.ts'
import type { EventHub } from './events/event-hub.ts'
import type { EventRelay } from './events/event-relay.ts'
import type { MemberAuthenticator } from './people/member-authenticator.ts'
import type { UserRateLimiter } from './people/user-rate-limiter.ts'

export interface MessagingDeps extends PipelineDeps {
  readonly log: Logger
  readonly signal: Signal
  readonly members: MemberAuthenticator
  readonly userRateLimiter: UserRateLimiter
  readonly jsonDepth: number
  readonly files: FileStore
  readonly fileLimits: FileLimits
  readonly relay: EventRelay
  readonly hub: EventHub
}
