import type { CreatedAt, Json } from '../../db/columns.ts'

declare module '../../db/schema.ts' {
  interface Schema {
    assistant_turn: AssistantTurnTable
  }
}

export interface AssistantTurnTable {
  message_id: string
  workspace_id: string
  conversation_id: string
  assistant_id: string
  /** Who asks, as a token of the Workspace's own says; null: as the directory has them. */
  author: Json<unknown> | null
  /** waiting, held (a reviewer decides), or refused: there is no answer to it. */
  state: string
  /** How often it failed. */
  attempts: number
  /** Of the one who works on it, or did last. */
  claim: string | null
  /** Nobody else takes it up before. */
  claimed_until: Date | null
  review_item_id: string | null
  /** W3C traceparent of the request that caused it. */
  traceparent: string | null
  created_at: CreatedAt
}
