import type { Classification, RiskLevel } from '../../shared/classification.ts'
import type { FindingCounts } from '../../shared/finding.ts'
import type { HitLabels, MemoryLabels } from '../../shared/labels.ts'
import type { Application, Endpoint, User } from '../../shared/principal.ts'
import type { ToolCall } from '../../shared/tool-call.ts'
import type { UnreadKind } from '../../shared/unread.ts'

/** The values that rules are evaluated on. Conditions read them by the names in condition/variables.ts. */
export interface PolicyInput {
  readonly user: User
  readonly application: Pick<Application, 'id' | 'name' | 'settings'>
  readonly request: PolicyRequest
  readonly content: PolicyContent
  /** Set at `output`. Absent if no model was called (searches): conditions then read empty strings and 0. */
  readonly response?: PolicyResponse | undefined
  readonly hit?: HitLabels | undefined
  readonly memory?: MemoryLabels | undefined
  readonly message?: PolicyMessage | undefined
  readonly now: Date
}

interface PolicyRequest {
  readonly endpoint: Endpoint | 'message'
  /** Empty if the request names none. */
  readonly model: string
  readonly sessionId: string
  readonly stream: boolean
  readonly dryRun: boolean
  readonly messageCount: number
  readonly tokens: number
  /** 0 if the request sets none. */
  readonly maxTokens: number
  readonly tools?: readonly string[] | undefined
  /** Whether each model that may serve the request has a price; absent: no model is called, so nothing has to have one. */
  readonly priced?: boolean | undefined
}

interface PolicyContent {
  /** The text that the point decides on: all messages, the completion, the hit, the memory. */
  readonly text: string
  /** Texts that belong together, joined: parts of a message, reasoning and completion. Tests on `content.text` read it too. */
  readonly joined?: string | undefined
  /** Whether one of the joined texts contains a line end or several spaces, over which a phrase can continue. Absent: not known. */
  readonly hasLines?: boolean | undefined
  readonly unread?: number | undefined
  readonly unreadBytes?: number | undefined
  /** Kinds of unread files, with those of linked ones; absent: none. */
  readonly unreadKinds?: readonly UnreadKind[] | undefined
  /** At `input` the calls in the messages, at `output` those of the completion; absent: none. */
  readonly toolCalls?: readonly ToolCall[] | undefined
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

interface PolicyMessage {
  readonly conversationId: string
  readonly sender: string
  /** Group id; empty in a direct conversation. */
  readonly group: string
}
