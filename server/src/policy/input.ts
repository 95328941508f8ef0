import type { Classification, RiskLevel } from '../domain/classification.ts'
import type { FindingCounts } from '../domain/finding.ts'
import type { MemoryKind, MemoryScope } from '../domain/memory-words.ts'
import type { Application, Endpoint, User } from '../domain/principal.ts'

/** What a policy point knows. Conditions see it under the names of condition/variables.ts. */
export interface PolicyInput {
  readonly user: User
  readonly application: Pick<Application, 'id' | 'name' | 'settings'>
  readonly request: PolicyRequest
  readonly content: PolicyContent
  /** At `output`; left out where no model answered (the searches), conditions then see empty strings and 0. */
  readonly response?: PolicyResponse | undefined
  /** Needed at `retrieve`. */
  readonly hit?: PolicyHit | undefined
  /** Needed at `recall` and `remember`. */
  readonly memory?: PolicyMemory | undefined
  /** Needed at `message`. */
  readonly message?: PolicyMessage | undefined
  readonly now: Date
}

interface PolicyRequest {
  readonly endpoint: Endpoint | 'message'
  /** Empty when the request names none. */
  readonly model: string
  /** Empty when there is none. */
  readonly sessionId: string
  readonly stream: boolean
  readonly dryRun: boolean
  readonly messageCount: number
  /** Estimate over all messages. */
  readonly tokens: number
  /** 0 when the request sets none. */
  readonly maxTokens: number
}

interface PolicyContent {
  /** What the point looks at: all messages, the answer, the hit, the memory. */
  readonly text: string
  /** Texts that a reader may take for one, joined: parts of a message, reasoning and answer. Tests on `content.text` look here too. */
  readonly joined?: string | undefined
  /** How many pictures, sounds and files no detector reads. */
  readonly unread?: number | undefined
  readonly classification: Classification
  readonly riskLevel: RiskLevel
  readonly findings: FindingCounts
}

interface PolicyResponse {
  readonly model: string
  readonly provider: string
  readonly finishReason: string
  readonly tokens: number
}

export interface PolicyHit {
  readonly classification: Classification
  readonly regulations: readonly string[]
  readonly title: string
  readonly collection: string
  /** Id of the document. */
  readonly document: string
  /** When the document's present version came in. */
  readonly updatedAt: Date
}

export interface PolicyMemory {
  readonly classification: Classification
  readonly regulations: readonly string[]
  readonly scope: MemoryScope
  /** Empty for scopes that need none. */
  readonly scopeId: string
  readonly kind: MemoryKind
  readonly createdAt: Date
  /** null: never. */
  readonly expiresAt: Date | null
}

interface PolicyMessage {
  readonly conversationId: string
  /** User id of the author. */
  readonly sender: string
  /** Group id; empty in a direct conversation. */
  readonly group: string
}
