import type { CreatedAt, NullableJson } from '../../../platform/db/columns.ts'
import type { User } from '../../../shared/principal.ts'

declare module '../../../platform/db/schema.ts' {
  interface Schema {
    assistant_turn: AssistantTurnTable
  }
}

export interface AssistantTurnTable {
  message_id: string
  workspace_id: string
  conversation_id: string
  assistant_id: string
  /** The author as the user token describes it, if that differs from the stored user; null: the stored user. */
  author: NullableJson<User>
  /** held: a reviewer decides. refused: the message gets no answer. */
  state: 'waiting' | 'held' | 'refused'
  /** Number of claims, without those that ended because of limits or a hold. */
  attempts: number
  /** Id of the latest claim; null: released. */
  claim: string | null
  /** No worker claims the turn before this time. */
  claimed_until: Date | null
  review_item_id: string | null
  /** W3C traceparent of the request that sent the message. */
  traceparent: string | null
  created_at: CreatedAt
}
