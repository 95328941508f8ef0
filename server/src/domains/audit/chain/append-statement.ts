import { sumCacheRead, sumCost, sumTokens } from '../record/token-usage.ts'
import { binaryArray } from './binary-array.ts'
import type { ChainEnd, SealedRecord } from './chain.ts'

/** Plain SQL without a query builder: every response waits for this statement. */
export interface SqlStatement {
  /** Name of the prepared statement; PostgreSQL parses and plans it once per connection. */
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

export const LOCK_CHAIN_END: string = 'select sequence, hash from audit_head where workspace_id = $1 for update'

const COLUMNS = {
  id: 'uuid',
  application_id: 'uuid',
  sequence: 'bigint',
  created_at: 'timestamptz',
  endpoint: 'text',
  verdict: 'text',
  risk_level: 'text',
  status: 'integer',
  user_hash: 'text',
  duration_ms: 'double precision',
  tokens: 'integer',
  cost: 'double precision',
  cache_read_tokens: 'integer',
  body: 'text',
  prev_hash: 'bytea',
  hash: 'bytea',
  seal: 'bytea',
}

/** Settlements of budgets are applied if the end is moved, and so in the transaction of their records. */
const APPEND_SQL = `
with moved as (
  update audit_head set sequence = $4, hash = $5
  where workspace_id = $1 and sequence = $2 and hash = $3
  returning workspace_id, case when $6::jsonb is not null then budget_settle(workspace_id, $6)::text end as settled
)
insert into audit_record (workspace_id, ${Object.keys(COLUMNS).join(', ')})
select moved.workspace_id, added.*
from moved, unnest(${Object.values(COLUMNS).map((type, index) => `$${index + 7}::${type}[]`)}) as added`

/**
 * Builds the statement that moves the chain's end and inserts the records in one round trip. It changes no row (row count 0) if
 * the chain does not end at `end`. `records` must be sealed in order from `end` on.
 */
export function appendStatement(workspace: string, end: ChainEnd, records: readonly SealedRecord[]): SqlStatement {
  const last: ChainEnd = records.at(-1) ?? end
  const prepared = records.map((record) => record.prepared)
  const drafts = prepared.map(({ draft }) => draft)
  const settlements = prepared.flatMap((record) => record.settlements)
  return {
    name: 'append',
    text: APPEND_SQL,
    values: [
      workspace,
      end.sequence,
      end.hash,
      last.sequence,
      last.hash,
      settlements.length > 0 ? JSON.stringify(settlements) : null,
      arrayLiteral(prepared.map(({ uuid }) => uuid)),
      arrayLiteral(prepared.map(({ applicationUuid }) => applicationUuid)),
      arrayLiteral(records.map(({ sequence }) => sequence)),
      arrayLiteral(drafts.map(({ created_at }) => created_at)),
      textArray(drafts, ({ endpoint }) => endpoint),
      textArray(drafts, ({ decision }) => decision?.verdict ?? null),
      textArray(drafts, ({ risk_level }) => risk_level),
      arrayLiteral(drafts.map(({ status }) => status)),
      textArray(drafts, ({ user }) => user.id),
      arrayLiteral(drafts.map(({ duration_ms }) => duration_ms)),
      arrayLiteral(drafts.map(sumTokens)),
      arrayLiteral(drafts.map(sumCost)),
      arrayLiteral(drafts.map(sumCacheRead)),
      textArray(records, ({ body }) => body),
      bytesArray(records, ({ prevHash }) => prevHash),
      bytesArray(records, ({ hash }) => hash),
      bytesArray(records, ({ seal }) => seal),
    ],
  }
}

/** Array literal of ids, numbers and times. These need no escaping, so the driver's escaping is skipped. */
export const arrayLiteral = (items: readonly (string | number | null)[]): string =>
  `{${items.map((item) => item ?? 'null').join()}}`

export const textArray = <T>(items: readonly T[], select: (item: T) => string | null): Buffer =>
  binaryArray('text', items.map(select))

export const bytesArray = <T>(items: readonly T[], select: (item: T) => Buffer): Buffer => binaryArray('bytea', items.map(select))
