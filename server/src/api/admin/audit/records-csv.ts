import type { AuditRecord } from '../../../domains/audit/record/record.ts'
import { sumCost, sumTokens } from '../../../domains/audit/record/token-usage.ts'
import { type RecordFilter, searchRecords } from '../../../domains/audit/search-records.ts'
import type { Reads } from '../../../platform/db/reads.ts'
import { csvCell } from '../../../platform/lib/csv.ts'

const MAX_ROWS = 100_000
const PAGE_SIZE = 500

const COLUMNS: Readonly<Record<string, (record: AuditRecord) => string | number | null>> = {
  time: ({ created_at }) => created_at,
  id: ({ id }) => id,
  event: ({ change, endpoint }) => change?.action ?? endpoint,
  application_id: ({ application_id }) => application_id,
  user_hash: ({ user }) => user.id,
  status: ({ status }) => status,
  error_code: ({ error_code }) => error_code,
  verdict: ({ decision }) => decision?.verdict ?? null,
  rules: ({ decision }) => decision?.rules.map(({ id }) => id).join(' ') ?? null,
  risk_level: ({ risk_level }) => risk_level,
  classification: ({ classification }) => classification,
  model: ({ attempts, features }) => attempts.at(-1)?.model ?? String(features['request.model'] ?? ''),
  providers: ({ attempts }) => attempts.map(({ provider }) => provider).join(' '),
  tokens: (record) => sumTokens(record),
  cost_usd: (record) => sumCost(record),
  latency_ms: ({ duration_ms }) => duration_ms,
  sequence: ({ integrity }) => integrity.sequence,
}

export async function* csvOf(reads: Reads, workspaceId: string, filter: RecordFilter): AsyncGenerator<string> {
  yield `${Object.keys(COLUMNS).join()}\r\n`
  let rows = 0
  for (let below: number | undefined; rows < MAX_ROWS; ) {
    const page = { ...filter, limit: Math.min(PAGE_SIZE, MAX_ROWS - rows), ...(below !== undefined && { below }) }
    const { data, end } = await reads.run((db) => searchRecords(db, workspaceId, page))
    if (data.length > 0) yield data.map(lineOf).join('')
    rows += data.length
    if (end === undefined) return
    below = end
  }
}

const lineOf = (record: AuditRecord): string =>
  `${Object.values(COLUMNS)
    .map((read) => cellOf(read(record)))
    .join()}\r\n`

const cellOf = (value: string | number | null): string =>
  typeof value === 'string' ? csvCell(value) : value === null ? '' : String(value)
