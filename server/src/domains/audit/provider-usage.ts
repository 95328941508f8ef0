import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'

interface UsageQuery {
  /** `YYYY-MM-DD` in UTC, both inclusive. */
  readonly from: string
  readonly to: string
  readonly providerId?: string
}

export async function usageByDay(db: Db, workspaceId: string, { from, to, providerId }: UsageQuery) {
  const { rows } = await sql<{ date: string; model: string; inputTokens: number; outputTokens: number; cost: number | null }>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as date, attempt ->> 'model' as model,
      coalesce(sum((attempt ->> 'prompt_tokens')::float8), 0) as "inputTokens",
      coalesce(sum((attempt ->> 'completion_tokens')::float8), 0) as "outputTokens",
      sum((attempt ->> 'cost')::float8) as cost
    from audit_record cross join lateral jsonb_array_elements(body::jsonb -> 'attempts') as attempt
    where workspace_id = ${uuidOf('ws', workspaceId)}
      and created_at >= ${from}::timestamp at time zone 'UTC'
      and created_at < (${to}::timestamp + interval '1 day') at time zone 'UTC'
      and endpoint <> 'admin'
      and (${providerId ?? null}::text is null or attempt ->> 'provider' = ${providerId ?? null}::text)
      and attempt ->> 'outcome' <> 'stubbed'
    group by 1, 2`.execute(db)
  return rows.map(({ cost, ...usage }) => ({ ...usage, ...(cost !== null && { cost }) }))
}
