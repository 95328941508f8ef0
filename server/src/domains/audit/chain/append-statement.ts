import { sumCacheRead, sumCost, sumTokens } from '../record/record.ts'
import type { ChainEnd, PreparedRecord, SealedRecord } from './chain.ts'

/** Plain SQL without a query builder: every response waits for this statement. */
interface SqlStatement {
  /** Name of the prepared statement; PostgreSQL parses and plans it once per connection. */
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

export const LOCK_CHAIN_END: string = 'select sequence, hash from audit_head where workspace_id = $1 for update'

/** Columns whose values are known before a record has its position. The parameters of `audit_append` have the same order. */
const COLUMNS = {
  id: 'uuid',
  application_id: 'uuid',
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
}

function columnsOf(records: readonly PreparedRecord[]): unknown[] {
  const drafts = records.map(({ draft }) => draft)
  return [
    arrayLiteral(records.map(({ uuid }) => uuid)),
    arrayLiteral(records.map(({ applicationUuid }) => applicationUuid)),
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
  ]
}

function settlementsOf(records: readonly PreparedRecord[]): string | null {
  const settlements = records.flatMap((record) => record.settlements)
  return settlements.length > 0 ? JSON.stringify(settlements) : null
}

const parameters = (types: readonly string[], first: number, suffix = ''): string =>
  types.map((type, index) => `$${first + index}::${type}${suffix}`).join()

const PLACED_COLUMNS = { ...COLUMNS, sequence: 'bigint', body: 'text', prev_hash: 'bytea', hash: 'bytea', seal: 'bytea' }

const APPEND_SQL = `
with moved as (
  update audit_head set sequence = $4, hash = $5
  where workspace_id = $1 and sequence = $2 and hash = $3
  returning workspace_id, case when $6::jsonb is not null then budget_settle(workspace_id, $6)::text end as settled
)
insert into audit_record (workspace_id, ${Object.keys(PLACED_COLUMNS).join(', ')})
select moved.workspace_id, added.*
from moved, unnest(${parameters(Object.values(PLACED_COLUMNS), 7, '[]')}) as added`

/** Moves the chain's end and inserts the records, which must be sealed in order from `end` on. Changes no row if the chain does not end there. */
export function appendStatement(workspace: string, end: ChainEnd, records: readonly SealedRecord[]): SqlStatement {
  const last: ChainEnd = records.at(-1) ?? end
  const prepared = records.map((record) => record.prepared)
  return {
    name: 'append',
    text: APPEND_SQL,
    values: [
      ...[workspace, end.sequence, end.hash, last.sequence, last.hash, settlementsOf(prepared)],
      ...columnsOf(prepared),
      arrayLiteral(records.map(({ sequence }) => sequence)),
      textArray(records, ({ body }) => body),
      bytesArray(records, ({ prevHash }) => prevHash),
      bytesArray(records, ({ hash }) => hash),
      bytesArray(records, ({ seal }) => seal),
    ],
  }
}

/** Result of `audit_append` (migration 0006). Without `appended` nothing was written. */
export interface GroupResult {
  readonly outcome: 'appended' | 'no chain' | 'moved' | 'stored'
  readonly first_sequence: number
  /** Hash of the record before the group, then those of the group; 32 bytes each. */
  readonly hashes: Buffer
  /** Number of pending rows that were deleted; null: the group has no pending records. */
  readonly removed: number | null
}

const GROUP_TYPES = ['uuid', 'bigint', 'bytea', 'boolean', 'uuid[]', 'jsonb']
const GROUP_SQL = `select * from audit_append(${parameters(GROUP_TYPES, 1)},
  ${parameters([...Object.values(COLUMNS), 'text', 'text', 'bytea'], 1 + GROUP_TYPES.length, '[]')})`

interface Group {
  readonly anchor: ChainEnd
  readonly records: readonly PreparedRecord[]
  readonly seals: readonly Buffer[]
  readonly mayBeStored: boolean
}

export function groupStatement(workspace: string, { anchor, records, seals, mayBeStored }: Group): SqlStatement {
  const pending = records.filter(({ isPending }) => isPending)
  return {
    name: 'append_group',
    text: GROUP_SQL,
    values: [
      ...[workspace, anchor.sequence, anchor.hash, mayBeStored],
      pending.length > 0 ? arrayLiteral(pending.map(({ uuid }) => uuid)) : null,
      settlementsOf(records),
      ...columnsOf(records),
      textArray(records, ({ beforeIntegrity }) => beforeIntegrity),
      textArray(records, ({ afterIntegrity }) => afterIntegrity),
      bytesArray(seals, (seal) => seal),
    ],
  }
}

/** Array literal of ids, numbers and times. These need no escaping, so the driver's escaping is skipped. */
const arrayLiteral = (items: readonly (string | number | null)[]): string => `{${items.map((item) => item ?? 'null').join()}}`

const textArray = <T>(items: readonly T[], select: (item: T) => string | null): Buffer => binaryArray('text', items.map(select))

const bytesArray = <T>(items: readonly T[], select: (item: T) => Buffer): Buffer => binaryArray('bytea', items.map(select))

const HEADER_BYTES = 20
const NULL_SIZE = -1
const OID = { bytea: 17, text: 25 }

/** The binary format (`array_send`): the escapes of the text format double the time of an insert. */
function binaryArray(type: keyof typeof OID, items: readonly (string | Buffer | null)[]): Buffer {
  const sizes = items.map((item) => (typeof item === 'string' ? Buffer.byteLength(item) : (item?.length ?? NULL_SIZE)))
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + Math.max(0, size), HEADER_BYTES))
  bytes.writeInt32BE(1, 0) // dimensions
  bytes.writeInt32BE(items.includes(null) ? 1 : 0, 4)
  bytes.writeInt32BE(OID[type], 8)
  bytes.writeInt32BE(items.length, 12)
  bytes.writeInt32BE(1, 16) // index of the first
  let at = HEADER_BYTES
  for (const [index, item] of items.entries()) {
    at = bytes.writeInt32BE(sizes[index] as number, at)
    if (item !== null) at += typeof item === 'string' ? bytes.write(item, at) : item.copy(bytes, at)
  }
  return bytes
}
