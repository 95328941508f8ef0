import type { AuditRecord } from '../audit/record.ts'
import type { Classification, RiskLevel } from '../domain/classification.ts'
import type { Completion, ProviderAttempt } from '../domain/completion.ts'
import type { Decision } from '../domain/decision.ts'
import type { Finding, FindingCounts } from '../domain/finding.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { Application, User } from '../domain/principal.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { Steering } from '../policy/directives.ts'
import type { Vault } from '../policy/vault.ts'
import type { Candidate, ModelEntry } from '../providers/route.ts'
import type { GatewayRequest } from './request.ts'
import type { Release } from './resubmission.ts'

/** What each stage adds, under the stage's name. A later stage takes what it needs as arguments, so the types keep the order. */
export interface Facts {
  authenticate: Caller
  admit: Admitted
  identify: Identity
  classify: Content
  authorize: Authorized
  retrieve: readonly Passage[]
  recall: readonly Recalled[]
  route: Route
  invoke: Reply
  inspect: Inspected
  remember: Remembered
}

export interface Caller {
  readonly application: Application
  readonly keyId: string
}

/** Whose holds and records an exchange may touch. */
export const ownerOf = ({ application }: Caller) => ({ workspaceId: application.workspaceId, applicationId: application.id })

/** The decision as far as the exchange came. */
export const decisionOf = ({ classify, authorize, inspect }: Partial<Facts>): Decision | undefined =>
  inspect?.decision ?? authorize?.decision ?? classify?.denial

/** Transforms that were carried out, at input and output. */
export const transformsOf = ({ authorize, inspect }: Partial<Facts>): readonly string[] => [
  ...new Set([...(authorize?.transforms ?? []), ...(inspect?.transforms ?? [])]),
]

export interface Admitted {
  readonly request: GatewayRequest
  /** The execution's own id: from here on every outcome is recorded under it. */
  readonly auditId: string
  /** Estimate over everything the detectors will read. */
  readonly tokens: number
  readonly bytes: number
  readonly headers: Readonly<Record<string, string>>
  /** Gives back the concurrency slot; corrects the token estimate where the true figure is known. */
  readonly release: (actualTokens?: number) => void
}

export interface Identity {
  readonly user: User
  readonly sessionId: string
}

export interface Content {
  /** Texts of the messages, then of the passed-on parameters; findings of each beside it. */
  readonly texts: readonly string[]
  readonly findings: readonly (readonly Finding[])[]
  /** How many of `texts` come from messages. */
  readonly messageTexts: number
  readonly counts: FindingCounts
  readonly classification: Classification
  readonly risk: RiskLevel
  /** Set when a detector failed: the denial that the exchange ends with. */
  readonly denial?: Decision
}

export interface Authorized {
  readonly decision: Decision
  readonly policy: CompiledPolicy | undefined
  /** What the provider will see: transforms applied. */
  readonly messages: readonly ChatMessage[]
  readonly parameters: Readonly<Record<string, unknown>>
  /** Transforms that were carried out. */
  readonly transforms: readonly string[]
  readonly vault: Vault
  readonly steering: Steering
  /** System texts that directives put before the messages. */
  readonly systemTexts: readonly string[]
  /** What a hold of this request is bound to; worked out when something asks. */
  readonly requestHash: () => Buffer
  /** Set when a reviewed request comes back and may go on. */
  readonly release: Release | undefined
  /** A search whose query may not be answered: 200 without hits. */
  readonly withheld: boolean
  /** Audit lookup. */
  readonly found: AuditRecord | undefined
}

/** A piece of knowledge this user may see. */
export interface Passage {
  readonly id: string
}

/** A memory this user may see. */
export interface Recalled {
  readonly id: string
}

export interface Route {
  readonly candidates: readonly Candidate[]
  /** Models list. */
  readonly models: readonly ModelEntry[]
}

export interface Reply {
  readonly completion: Completion | undefined
  /** Id of the provider that answered; empty when none was asked. */
  readonly provider: string
  readonly attempts: readonly ProviderAttempt[]
}

export interface Inspected {
  /** Input and output together. */
  readonly decision: Decision
  readonly counts: FindingCounts
  /** What the caller gets: transforms applied, pseudonyms restored. */
  readonly completion: Completion | undefined
  readonly transforms: readonly string[]
}

/** What was kept of the exchange. */
export interface Remembered {
  readonly ids: readonly string[]
}
