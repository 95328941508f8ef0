import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'
import type { Verdict } from '../../shared/decision.ts'
import type { RequestOutcome } from '../../shared/request-outcome.ts'
import type { RecordFilter } from './record-filter.ts'

/** The index that a search reads: the records with one of the values. */
export interface Driver {
  readonly column: 'user_hash' | 'status' | 'risk_level' | 'verdict' | 'endpoint' | 'application_id'
  readonly type: 'text' | 'integer' | 'uuid'
  readonly values: readonly (string | number)[]
  /** Condition of the index, which the planner needs to see. */
  readonly where: string
}

export const hasValue = ({ column, type, where }: Driver, value: RawBuilder<unknown>) =>
  sql`${sql.ref(column)} = ${value}::${sql.raw(type)} and ${sql.raw(where)}`

/**
 * The filter with an index that is likely to have the fewest records. The frequent values of columns are in no index. A filter by outcomes
 * may need two indexes.
 */
export async function findDrivers(db: Db, workspace: string, filter: RecordFilter): Promise<readonly Driver[]> {
  const { userHashes, status, riskLevel, verdicts, endpoint, applicationId, outcomes } = filter
  if (userHashes) return [{ column: 'user_hash', type: 'text', values: userHashes, where: 'user_hash is not null' }]
  if (status && (status.from > 200 || status.to < 200)) return [await statusDriver(db, workspace, status)]
  if (riskLevel && riskLevel !== 'low')
    return [{ column: 'risk_level', type: 'text', values: [riskLevel], where: "risk_level <> 'low'" }]
  if (verdicts && !verdicts.includes('allow')) return [verdictDriver(verdicts)]
  if (outcomes && !outcomes.includes('allowed') && !outcomes.includes('redacted')) return outcomeDrivers(db, workspace, outcomes)
  if (endpoint && endpoint !== 'chat')
    return [{ column: 'endpoint', type: 'text', values: [endpoint], where: "endpoint <> 'chat'" }]
  if (applicationId === undefined) return []
  return [{ column: 'application_id', type: 'uuid', values: [uuidOf('app', applicationId)], where: 'true' }]
}

const verdictDriver = (values: readonly Verdict[]): Driver => ({
  column: 'verdict',
  type: 'text',
  values,
  where: "verdict <> 'allow'",
})

const statusDriver = async (db: Db, workspace: string, statuses: { from: number; to: number }): Promise<Driver> => ({
  column: 'status',
  type: 'integer',
  values: await listStatuses(db, workspace, statuses),
  where: 'status <> 200',
})

/** The verdicts and statuses that records with an outcome may have. */
const FOUND_BY: Readonly<
  Record<Exclude<RequestOutcome, 'allowed' | 'redacted'>, { verdict?: Verdict; from?: number; to?: number }>
> = {
  escalated: { verdict: 'escalate' },
  held: { verdict: 'require_approval', from: 409, to: 409 },
  denied: { verdict: 'deny', from: 403, to: 403 },
  refused: { from: 400, to: 498 },
  failed: { from: 500, to: 599 },
  canceled: { from: 499, to: 499 },
}

async function outcomeDrivers(db: Db, workspace: string, outcomes: readonly RequestOutcome[]): Promise<readonly Driver[]> {
  const found = outcomes.flatMap((outcome) => (outcome === 'allowed' || outcome === 'redacted' ? [] : [FOUND_BY[outcome]]))
  const verdicts = found.flatMap(({ verdict }) => verdict ?? [])
  const [from, to] = [Math.min(...found.flatMap((one) => one.from ?? [])), Math.max(...found.flatMap((one) => one.to ?? []))]
  return [
    ...(verdicts.length > 0 ? [verdictDriver(verdicts)] : []),
    ...(from <= to ? [await statusDriver(db, workspace, { from, to })] : []),
  ]
}

/** The statuses of the range that records have: one look-up in the index for each. */
async function listStatuses(db: Db, workspace: string, { from, to }: { from: number; to: number }): Promise<number[]> {
  if (from === to) return [from]
  const next = (after: RawBuilder<unknown>) => sql`select min(status) as status from audit_record
    where workspace_id = ${workspace} and status <> 200 and status > ${after} and status <= ${to}`
  const { rows } = await sql<{ status: number }>`
    with recursive known as (
      ${next(sql`${from - 1}::integer`)}
      union all
      select (${next(sql`known.status`)}) from known where known.status is not null
    )
    select status from known where status is not null`.execute(db)
  return rows.map(({ status }) => status)
}
