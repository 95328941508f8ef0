import { binaryArray } from './binary-array.ts'
import type { ChainEnd, SealedRecord } from './chain.ts'
import { costOf, tokensOf } from './usage.ts'

/** Plain SQL: the one statement that every answer waits for is sent as it is. */
export interface Statement {
  /** Parsed and planned once for each connection, where the driver is given it. */
  readonly name?: string
  readonly text: string
  readonly values: unknown[]
}

export const LOCK_END: string = 'select sequence, hash from audit_head where workspace_id = $1 for update'

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
  body: 'text',
  prev_hash: 'bytea',
  hash: 'bytea',
  seal: 'bytea',
}

const TEXT = `
with moved as (
  update audit_head set sequence = $4, hash = $5
  where workspace_id = $1 and sequence = $2 and hash = $3
  returning workspace_id
)
insert into audit_record (workspace_id, ${Object.keys(COLUMNS).join(', ')})
select moved.workspace_id, added.*
from moved, unnest(${Object.values(COLUMNS).map((type, index) => `$${index + 6}::${type}[]`)}) as added`

/**
 * Moves the chain's end and inserts the records that lie between, or does neither: the row count is 0 when the chain no
 * longer ends at `end`. `records` are sealed one after the other, from there on. One round trip, one commit.
 */
export function appendStatement(workspace: string, end: ChainEnd, records: readonly SealedRecord[]): Statement {
  const last: ChainEnd = records.at(-1) ?? end
  const prepared = records.map((record) => record.prepared)
  const drafts = prepared.map(({ draft }) => draft)
  return {
    name: 'append',
    text: TEXT,
    values: [
      workspace,
      end.sequence,
      end.hash,
      last.sequence,
      last.hash,
      plainArray(prepared.map(({ uuid }) => uuid)),
      plainArray(prepared.map(({ applicationUuid }) => applicationUuid)),
      plainArray(records.map(({ sequence }) => sequence)),
      plainArray(drafts.map(({ created_at }) => created_at)),
      binaryArray(
        'text',
        drafts.map(({ endpoint }) => endpoint),
      ),
      binaryArray(
        'text',
        drafts.map(({ decision }) => decision?.verdict ?? null),
      ),
      binaryArray(
        'text',
        drafts.map(({ risk_level }) => risk_level),
      ),
      plainArray(drafts.map(({ status }) => status)),
      binaryArray(
        'text',
        drafts.map(({ user }) => user.id),
      ),
      plainArray(drafts.map(({ duration_ms }) => duration_ms)),
      plainArray(drafts.map(tokensOf)),
      plainArray(drafts.map(costOf)),
      binaryArray(
        'text',
        records.map(({ body }) => body),
      ),
      binaryArray(
        'bytea',
        records.map(({ prevHash }) => prevHash),
      ),
      binaryArray(
        'bytea',
        records.map(({ hash }) => hash),
      ),
      binaryArray(
        'bytea',
        records.map(({ seal }) => seal),
      ),
    ],
  }
}

/** Of ids, numbers and times, which have nothing in them to escape: the driver looks for it in each of them. */
const plainArray = (items: readonly (string | number | null)[]): string => `{${items.map((item) => item ?? 'null').join()}}`
