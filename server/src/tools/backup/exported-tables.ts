import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'

type TableRule = ExportedTable | { readonly leftOut: string }

export interface ExportedTable {
  /** Columns that refer to rows of later tables. They are set when all rows are there. The key of the table must be `id`. */
  readonly late?: readonly string[]
  readonly order?: string
  /** Column whose numbers a sequence gives. */
  readonly sequence?: string
  /** Columns whose value depends on the database, and their value after the import. */
  readonly replaced?: Readonly<Record<string, string>>
  readonly batch?: number
  /** The table exists only with the extension `vector`. */
  readonly isOptional?: boolean
}

const EXPORTED: ExportedTable = {}
const OF_SEQUENCE: ExportedTable = { sequence: 'id' }
const leftOut = (reason: string): TableRule => ({ leftOut: reason })

/** In the order of the import: a table comes after those that it refers to. The compiler refuses a missing table. */
export const EXPORTED_TABLES: Readonly<Record<keyof Schema, TableRule>> = {
  operator: EXPORTED,
  operator_account: EXPORTED,
  operator_second_factor: EXPORTED,
  operator_invitation: EXPORTED,
  operator_absence: EXPORTED,
  operator_notification: EXPORTED,
  admin_token: EXPORTED,
  setup_dismissal: leftOut('operators dismiss the checklist again'),
  operator_session: leftOut('operators sign in again'),
  operator_verification: leftOut('sign-ins in progress end'),
  operator_rate_limit: leftOut('counts of the last minutes'),

  workspace: { late: ['active_policy_id'] },
  operator_role: EXPORTED,
  policy_set: EXPORTED,
  policy_draft: EXPORTED,
  policy_test: EXPORTED,
  saved_view: EXPORTED,
  applied_declaration: EXPORTED,
  workspace_user: EXPORTED,
  user_group: EXPORTED,
  user_group_member: EXPORTED,
  application: EXPORTED,
  team: EXPORTED,
  api_key: EXPORTED,
  provider: EXPORTED,
  model: EXPORTED,
  budget: EXPORTED,
  budget_window: { replaced: { reserved: '0' } },
  budget_alert: EXPORTED,
  budget_reservation: leftOut('amounts that running requests reserved'),

  audit_record: EXPORTED,
  audit_head: EXPORTED,
  audit_checkpoint: EXPORTED,
  audit_delivery: leftOut('the target has destinations of its own, and delivers all checkpoints'),
  audit_pending: EXPORTED,
  audit_usage: leftOut('counted again from the records'),
  audit_usage_user: leftOut('counted again from the records'),
  audit_usage_value: leftOut('counted again from the records'),
  audit_usage_position: leftOut('counted again from the records'),

  review_item: { batch: 5 },
  stored_response: { batch: 5 },

  retrieval_partition: OF_SEQUENCE,
  // Before the entries, because deleting an entry adds to it.
  retrieval_removed: EXPORTED,
  retrieval_entry: EXPORTED,
  retrieval_list: EXPORTED,
  retrieval_posting: EXPORTED,
  embedding_model: { ...OF_SEQUENCE, replaced: { indexed: 'false' }, isOptional: true },
  retrieval_vector: { isOptional: true },
  knowledge_collection: EXPORTED,
  knowledge_partition: EXPORTED,
  knowledge_document: EXPORTED,
  knowledge_upload: { batch: 2 },
  knowledge_upload_part: { batch: 20 },
  knowledge_chunk: EXPORTED,
  knowledge_version: EXPORTED,
  knowledge_source: EXPORTED,
  knowledge_source_file: EXPORTED,
  memory_owner: EXPORTED,
  memory_partition: EXPORTED,
  // A memory refers to the one that replaced it, which may be older.
  memory_item: { late: ['superseded_by'] },

  access_token: EXPORTED,
  contact_profile: EXPORTED,
  messaging_group: EXPORTED,
  group_member: EXPORTED,
  conversation: EXPORTED,
  conversation_member: EXPORTED,
  message: EXPORTED,
  message_reaction: { ...OF_SEQUENCE, order: 'id' },
  message_attachment: EXPORTED,
  held_message: EXPORTED,
  assistant_turn: EXPORTED,
  user_erasure: EXPORTED,
  event_position: EXPORTED,
  event_log: EXPORTED,
  event_outbox: { ...OF_SEQUENCE, order: 'id' },
  webhook: EXPORTED,
  webhook_delivery: EXPORTED,
  mail_position: EXPORTED,
  mail_notification: leftOut('e-mail of the last minutes'),
  idempotency_key: EXPORTED,

  quota: leftOut('counts of the last minutes'),
  removed_file: leftOut('files that the source deletes'),
  sealed_value_count: leftOut('counted again'),
}

export const listExportedTables = (): readonly (readonly [name: string, rule: ExportedTable])[] =>
  Object.entries(EXPORTED_TABLES).flatMap(([name, rule]) => ('leftOut' in rule ? [] : [[name, rule] as const]))

interface Column {
  readonly name: string
  readonly type: string
}

/** Columns that are stored, in the order of the table. None: there is no such table. */
export async function listColumns(tx: Tx, table: string): Promise<readonly Column[]> {
  const { rows } = await sql<Column>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = to_regclass(${`public.${table}`}) and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`.execute(tx)
  return rows
}

/** Makes the text forms of values the same on every database, and complete. */
export async function useStandardTextForms(tx: Tx): Promise<void> {
  await sql`set local timezone = 'UTC'`.execute(tx)
  await sql`set local datestyle = 'ISO, YMD'`.execute(tx)
  await sql`set local bytea_output = 'hex'`.execute(tx)
  await sql`set local extra_float_digits = 1`.execute(tx)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
}

export async function listMigrations(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(tx)
  return rows.map(({ name }) => name)
}
