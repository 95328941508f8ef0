import type { ColumnType } from 'kysely'
import type { CreatedAt, Json } from '../../platform/db/columns.ts'
import type { GovernanceEventType, GovernancePayload } from '../../shared/governance-event.ts'
import type { NotificationTopic } from './topic.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    operator_notification: {
      operator_id: string
      topics: readonly NotificationTopic[]
      since: Date
    }
    mail_position: {
      workspace_id: string
      /** Sequence of the last event that has become e-mail. */
      position: number
    }
    /** An event that waits to be sent to an operator. Sent ones are deleted. */
    mail_notification: {
      id: string
      operator_id: string
      workspace_id: string
      sequence: number
      topic: NotificationTopic
      type: GovernanceEventType
      payload: Json<GovernancePayload>
      created_at: CreatedAt
      attempts: ColumnType<number, never, number>
      due_at: Date
      /** A node is sending it until then; null: none. */
      leased_until: ColumnType<Date | null, never, Date | null>
    }
  }
}
