import type { AuditRecord } from '../audit/record.ts'
import type { Classification, RiskLevel } from '../domain/classification.ts'
import type { Completion, ProviderAttempt } from '../domain/completion.ts'
import type { Decision } from '../domain/decision.ts'
import type { Finding, FindingCounts } from '../domain/finding.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { Application, User } from '../domain/principal.ts'
import type { Passage } from '../knowledge/search.ts'
import type { Lease } from '../limits/limiter.ts'
import type { MemoryDraft } from '../memory/capture.ts'
import type { RecalledMemory } from '../memory/recall.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { Steering } from '../policy/directives.ts'
import type { PolicyInput } from '../policy/input.ts'
import type { Vault } from '../policy/vault.ts'
import type { Candidate, ModelEntry } from '../providers/route.ts'
import type { RequestHashes } from '../review/request-hash.ts'
import type { Governed } from './governed-hits.ts'
import type { GatewayRequest } from './request.ts'
import type { Release } from './resubmission.ts'

/** What each stage adds, under the stage's name. A later stage takes what it needs as arguments, so the types keep the order. */
export interface Facts {
  authenticate: Caller
  admit: Admitted
  identify: Identity
  classify: Content
  authorize: Authorized
  retrieve: Retrieved
  recall: Recalled
  route: Route
  invoke: Reply
  inspect: Inspected
  remember: Remembered
}

export interface Caller {
  readonly application: Application
  /** Empty: code of this server, without a key. */
  readonly keyId: string
  /** The operator who issued the key, if one did. */
  readonly keyIssuer?: string
  /** The operator who tries the Application out, without a key. */
  readonly playedBy?: string
  /** What would be remembered is decided, and not stored: the operator may write no memories. */
  readonly keepsNothing?: boolean
}

/** Whose holds and records an exchange may touch. */
export const ownerOf = ({ application }: Caller) => ({ workspaceId: application.workspaceId, applicationId: application.id })

/** The decision as far as the exchange came: each stage that decides adds to what those before it decided. */
export const decisionOf = ({ classify, authorize, retrieve, recall, inspect, remember }: Partial<Facts>): Decision | undefined =>
  (remember ?? inspect ?? recall ?? retrieve ?? authorize)?.decision ?? classify?.denial

/** Transforms that were carried out, wherever policies were asked. */
export const transformsOf = ({ authorize, retrieve, recall, inspect, remember }: Partial<Facts>): readonly string[] => [
  ...new Set([authorize, retrieve, recall, inspect, remember].flatMap((stage) => stage?.transforms ?? [])),
]

export interface Admitted {
  readonly request: GatewayRequest
  /** The execution's own id: from here on every outcome is recorded under it. */
  readonly auditId: string
  /** Estimate over everything the detectors will read. */
  readonly tokens: number
  readonly bytes: number
  /** What it holds of the Application's limits until its answer is out. */
  readonly lease: Lease
}

export interface Identity {
  readonly user: User
  /** Everybody who will read the answer; absent: the user alone. */
  readonly readers?: readonly User[]
  readonly sessionId: string
}

export interface Content {
  /** Texts of the messages, then of the passed-on parameters; findings of each beside it. */
  readonly texts: readonly string[]
  readonly findings: readonly (readonly Finding[])[]
  /** How many of `texts` come from messages. */
  readonly messageTexts: number
  /** Texts that are read joined as well; empty: none. */
  readonly joined: string
  /** Pictures, sounds and files that no detector reads. */
  readonly unread: number
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
  readonly requestHashes: () => RequestHashes
  /** Set when a reviewed request comes back and may go on. */
  readonly release: Release | undefined
  /** A search whose query may not be answered: 200 without hits. */
  readonly withheld: boolean
  /** Audit lookup. */
  readonly found: AuditRecord | undefined
}

/** Knowledge that this user may see, best first. */
export type Retrieved = Governed<Passage>

/** Memories that this user may see, best first. */
export type Recalled = Governed<RecalledMemory>

export interface Route {
  /** Estimate of all that goes in, the request and what was put before its messages; worked out when something asks. */
  readonly tokens: () => number
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
  /** What the output policies were told beside the texts; undefined: they were not asked. */
  readonly looked?: Pick<PolicyInput['content'], 'classification' | 'riskLevel' | 'unread'> & Pick<PolicyInput, 'response'>
  /** What the caller gets: transforms applied, pseudonyms restored. */
  readonly completion: Completion | undefined
  /** Searches: the hits the caller gets. */
  readonly passages: readonly Passage[]
  readonly memories: readonly RecalledMemory[]
  readonly transforms: readonly string[]
}

/** What the stages before have made of the exchange. */
export interface Made {
  readonly found: Retrieved
  readonly recalled: Recalled
  readonly way: Route
  readonly reply: Reply
  readonly checked: Inspected
}

/** What is to be kept of the exchange; the record stage writes it, together with the record. */
export interface Remembered {
  readonly drafts: readonly MemoryDraft[]
  /** Input, output and memory together. */
  readonly decision: Decision
  readonly transforms: readonly string[]
  /** Calls of the model that extracted them. */
  readonly attempts: readonly ProviderAttempt[]
}
