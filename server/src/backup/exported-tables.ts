import type { Schema } from '../db/schema.ts'

/** How an export treats a table. */
export type TableRule = ExportedTable | { readonly leftOut: string }

export interface ExportedTable {
  /** SQL condition on the rows of a Workspace, whose UUID is `$1`. Absent: the table belongs to the whole server. */
  readonly workspace?: string
  /** Columns that refer to rows of later tables. They are set when all rows are there. The key of the table must be `id`. */
  readonly late?: readonly string[]
  /** Order of the rows. */
  readonly order?: string
  /** Columns with numbers that a sequence of this database has given, and the table of the sequence. They get new numbers. */
  readonly numbers?: Readonly<Record<string, keyof Schema>>
  /** Columns whose value depends on the database, and their value after the import. */
  readonly replaced?: Readonly<Record<string, string>>
  /** Number of rows that are read at a time. Default: 200. */
  readonly batch?: number
  /** The table exists only with the extension `vector`. */
  readonly isOptional?: boolean
}

const OF_WORKSPACE: ExportedTable = { workspace: 'workspace_id = $1' }
const OF_SERVER: ExportedTable = {}
const PARTITION = { partition_id: 'retrieval_partition' } as const
const OF_PARTITION: ExportedTable = {
  workspace: 'partition_id in (select id from retrieval_partition where workspace_id = $1)',
  numbers: PARTITION,
}
const leftOut = (reason: string): TableRule => ({ leftOut: reason })

/**
 * Every table, in the order of the import: a table comes after those that it refers to. The compiler refuses a table of the schema that is
 * missing here, and a test compares the list with the database.
 */
export const EXPORTED_TABLES: Readonly<Record<keyof Schema, TableRule>> = {
  operator: OF_SERVER,
  operator_account: OF_SERVER,
  operator_second_factor: OF_SERVER,
  operator_invitation: OF_SERVER,
  operator_absence: OF_SERVER,
  operator_notification: OF_SERVER,
  admin_token: OF_SERVER,
  setup_dismissal: leftOut('operators dismiss the checklist again'),
  operator_session: leftOut('operators sign in again'),
  operator_verification: leftOut('sign-ins in progress end'),
  operator_rate_limit: leftOut('counts of the last minutes'),

  workspace: { workspace: 'id = $1', late: ['active_policy_id'] },
  operator_role: OF_SERVER,
  policy_set: OF_WORKSPACE,
  policy_draft: OF_WORKSPACE,
  policy_test: OF_WORKSPACE,
  // Private views belong to operators, who are not exported with one Workspace.
  saved_view: { workspace: 'workspace_id = $1 and shared' },
  applied_declaration: OF_WORKSPACE,
  workspace_user: OF_WORKSPACE,
  application: OF_WORKSPACE,
  api_key: OF_WORKSPACE,
  provider: OF_WORKSPACE,
  model: OF_WORKSPACE,
  budget: OF_WORKSPACE,
  budget_window: { workspace: 'budget_id in (select id from budget where workspace_id = $1)', replaced: { reserved: '0' } },
  budget_alert: OF_WORKSPACE,
  budget_reservation: leftOut('amounts that running requests reserved'),

  audit_record: OF_WORKSPACE,
  audit_head: OF_WORKSPACE,
  audit_checkpoint: OF_WORKSPACE,
  audit_delivery: leftOut('the target has destinations of its own, and delivers all checkpoints'),
  audit_pending: OF_WORKSPACE,
  audit_feed: OF_SERVER,
  audit_usage: leftOut('counted again from the records'),
  audit_usage_user: leftOut('counted again from the records'),
  audit_usage_value: leftOut('counted again from the records'),
  audit_usage_position: leftOut('counted again from the records'),

  review_item: { ...OF_WORKSPACE, batch: 5 },
  stored_response: { ...OF_WORKSPACE, batch: 5 },

  retrieval_partition: { ...OF_WORKSPACE, numbers: { id: 'retrieval_partition' } },
  retrieval_entry: OF_PARTITION,
  retrieval_posting: OF_PARTITION,
  // The vectors of one Workspace are computed again: their model belongs to the server.
  embedding_model: { numbers: { id: 'embedding_model' }, replaced: { indexed: 'false' }, isOptional: true },
  retrieval_vector: { numbers: { ...PARTITION, model_id: 'embedding_model' }, isOptional: true },
  knowledge_collection: OF_WORKSPACE,
  knowledge_partition: { ...OF_WORKSPACE, numbers: { id: 'retrieval_partition' } },
  knowledge_document: { ...OF_WORKSPACE, numbers: PARTITION },
  knowledge_chunk: { ...OF_WORKSPACE, numbers: PARTITION },
  memory_owner: OF_WORKSPACE,
  memory_partition: { ...OF_WORKSPACE, numbers: PARTITION },
  // A memory refers to the one that replaced it, which may be older.
  memory_item: { ...OF_WORKSPACE, late: ['superseded_by'], numbers: PARTITION },

  access_token: OF_WORKSPACE,
  contact_profile: OF_WORKSPACE,
  messaging_group: OF_WORKSPACE,
  group_member: OF_WORKSPACE,
  conversation: OF_WORKSPACE,
  conversation_member: OF_WORKSPACE,
  message: OF_WORKSPACE,
  message_reaction: { ...OF_WORKSPACE, order: 'id', numbers: { id: 'message_reaction' } },
  message_attachment: OF_WORKSPACE,
  held_message: OF_WORKSPACE,
  assistant_turn: OF_WORKSPACE,
  user_erasure: OF_WORKSPACE,
  event_position: OF_WORKSPACE,
  event_log: OF_WORKSPACE,
  event_outbox: { ...OF_WORKSPACE, order: 'id', numbers: { id: 'event_outbox' } },
  webhook: OF_WORKSPACE,
  webhook_delivery: OF_WORKSPACE,
  mail_position: OF_WORKSPACE,
  mail_notification: leftOut('e-mail of the last minutes; operators of one Workspace are not exported'),
  idempotency_key: OF_WORKSPACE,

  quota: leftOut('counts of the last minutes'),
  removed_file: leftOut('files that the source deletes'),
  sealed_value_count: leftOut('counted again'),
}

/** The exported tables with their names; `workspaceOnly`: those of a single Workspace. */
export const listExportedTables = (workspaceOnly: boolean): readonly (readonly [name: string, rule: ExportedTable])[] =>
  Object.entries(EXPORTED_TABLES).flatMap(([name, rule]) =>
    'leftOut' in rule || (workspaceOnly && rule.workspace === undefined) ? [] : [[name, rule] as const],
  )
