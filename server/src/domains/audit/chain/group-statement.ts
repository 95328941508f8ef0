import { sumCacheRead, sumCost, sumTokens } from '../record/token-usage.ts'
import { arrayLiteral, bytesArray, type SqlStatement, textArray } from './append-statement.ts'
import type { ChainEnd, PreparedRecord } from './chain.ts'

/** Result of `audit_append` (migration 0006). Without `appended` nothing was written. */
export interface GroupResult {
  readonly outcome: 'appended' | 'no chain' | 'moved' | 'stored'
  readonly first_sequence: number
  /** Hash of the record before the group, then those of the group; 32 bytes each. */
  readonly hashes: Buffer
  /** Number of pending rows that were deleted; null: the group has no pending records. */
  readonly removed: number | null
}

const TYPES = [
  ...['uuid', 'bigint', 'bytea', 'boolean', 'uuid[]', 'jsonb'],
  ...[
    'uuid[]',
    'uuid[]',
    'timestamptz[]',
    'text[]',
    'text[]',
    'text[]',
    'integer[]',
    'text[]',
    'double precision[]',
    'integer[]',
  ],
  ...['double precision[]', 'integer[]', 'text[]', 'text[]', 'bytea[]'],
]
const SQL = `select * from audit_append(${TYPES.map((type, index) => `$${index + 1}::${type}`).join()})`

interface Group {
  /** The known record that the group is sealed behind. */
  readonly anchor: ChainEnd
  readonly records: readonly PreparedRecord[]
  readonly seals: readonly Buffer[]
  /** Whether some of the records may be in the log already. */
  readonly mayBeStored: boolean
}

/** Builds the statement that gives the records their positions at the end of the chain. */
export function groupStatement(workspace: string, { anchor, records, seals, mayBeStored }: Group): SqlStatement {
  const drafts = records.map(({ draft }) => draft)
  const pending = records.filter(({ isPending }) => isPending)
  const settlements = records.flatMap((record) => record.settlements)
  return {
    name: 'append_group',
    text: SQL,
    values: [
      workspace,
      anchor.sequence,
      anchor.hash,
      mayBeStored,
      pending.length > 0 ? arrayLiteral(pending.map(({ uuid }) => uuid)) : null,
      settlements.length > 0 ? JSON.stringify(settlements) : null,
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
      textArray(records, ({ beforeIntegrity }) => beforeIntegrity),
      textArray(records, ({ afterIntegrity }) => afterIntegrity),
      bytesArray(seals, (seal) => seal),
    ],
  }
}
