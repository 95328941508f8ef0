import { type RawBuilder, sql } from 'kysely'
import type { RiskLevel } from '../../shared/classification.ts'
import type { Verdict } from '../../shared/decision.ts'
import { PASSED_HOLDS, type RequestOutcome } from '../../shared/request-outcome.ts'
import type { AuditEndpoint } from './record/record.ts'

export interface RecordFilter {
  /** By `created_at`; `from` inclusive, `to` exclusive. */
  readonly from?: Date
  readonly to?: Date
  readonly applicationId?: string
  /** Keyed hashes, as in `user.id` of the record. */
  readonly userHashes?: readonly string[]
  readonly verdicts?: readonly Verdict[]
  readonly outcomes?: readonly RequestOutcome[]
  /** As requested by the client, or as sent to a provider. */
  readonly model?: string
  readonly provider?: string
  readonly rule?: string
  readonly latencyMs?: Range
  readonly cost?: Range
  readonly riskLevel?: RiskLevel
  readonly endpoint?: AuditEndpoint
  readonly endpoints?: readonly AuditEndpoint[]
  readonly status?: { readonly from: number; readonly to: number }
  readonly below?: number
  readonly limit: number
}

export interface Range {
  readonly from?: number
  readonly to?: number
}

/** Texts of which a matching record contains one of each group. A value cannot imitate them, because quotes within strings are escaped. */
function contentMarks({ model, provider, rule }: RecordFilter): string[][] {
  return [
    ...(model === undefined ? [] : [[`"request.model":${JSON.stringify(model)}`, `"model":${JSON.stringify(model)}`]]),
    ...(provider === undefined ? [] : [[`"provider":${JSON.stringify(provider)}`]]),
    ...(rule === undefined ? [] : [[`"id":${JSON.stringify(rule)},"point":`]]),
  ]
}

/** The conditions that read bodies. */
export const contentConditions = (filter: RecordFilter): RawBuilder<unknown>[] => [
  ...contentMarks(filter).map((any) => sql`(${sql.join(any.map(hasMark), sql` or `)})`),
  ...(filter.outcomes ? [sql`(${OUTCOME}) = any(${[...filter.outcomes]}::text[])`] : []),
]

const hasMark = (mark: string) => sql`strpos(body, ${mark}) > 0`

/** As `outcomeOf` (shared/request-outcome.ts). */
const OUTCOME = sql`case
  when status >= 400 and ${hasMark('"error_code":"POLICY_REVIEW_PENDING"')} then 'held'
  when status >= 400 and ${hasMark('"error_code":"POLICY_')} then 'denied'
  when status = 499 then 'canceled' when status >= 500 then 'failed' when status >= 400 then 'refused'
  when verdict = 'deny' then 'denied' when verdict = 'escalate' then 'escalated'
  when verdict = 'require_approval' and not (${sql.join(
    PASSED_HOLDS.map((state) => hasMark(`"state":"${state}"`)),
    sql` or `,
  )}) then 'held'
  when verdict is not null then case when ${hasMark('"transforms":[]')} then 'allowed' else 'redacted' end
end`
