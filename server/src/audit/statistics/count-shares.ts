import { type RawBuilder, sql } from 'kysely'
import { bucketOf } from './duration-buckets.ts'
import { ATTRIBUTED, SUMS, VALUE_SUMS } from './usage-facts.ts'

const PARTS = ['total', 'gateway', 'provider'] as const
const DURATIONS = sql`total_durations, gateway_durations, provider_durations`
const USAGE = sql`application_id, key_id, provider, model, verdict`

/** SQL for the parts of a statement that add the rows of `share` (usage-facts.ts) to the counts of all combinations. */
export const countCombinations = (workspace: string, oldestMinute: Date): RawBuilder<unknown> => sql`
    usage as (
      insert into audit_usage as old (workspace_id, span, at, ${USAGE}, ${SUMS.columns})
      select ${workspace}, span, date_trunc(span, created_at, 'UTC'), ${USAGE}, ${SUMS.ofShares}
      from share cross join (values ('minute'), ('hour'), ('day')) as spans (span)
      where span <> 'minute' or created_at >= ${oldestMinute}
      group by 2, 3, ${USAGE}
      on conflict (workspace_id, span, at, ${USAGE}) do update set ${SUMS.added}
    ), users as (
      insert into audit_usage_user as old (workspace_id, user_hash, span, at, ${USAGE}, ${SUMS.columns})
      select ${workspace}, user_hash, span, date_trunc(span, created_at, 'UTC'), ${USAGE}, ${SUMS.ofShares}
      from share cross join (values ('hour'), ('day')) as spans (span)
      group by 2, 3, 4, ${USAGE}
      on conflict (workspace_id, span, at, user_hash, ${USAGE}) do update set ${SUMS.added}
    )`

/** The same for the counts by one property. */
export const countValues = (workspace: string): RawBuilder<unknown> => sql`
    hourly as materialized (
      select dimension, date_trunc('hour', created_at, 'UTC') as at, value, ${VALUE_SUMS.ofShares}
      from share cross join lateral (values ('all', ''), ('application', application_id::text), ('provider', provider), ('model', model),
        ('user', user_hash), ('key', key_id)) as dimensions (dimension, value)
      group by 1, 2, 3
    ), durations as (
      select dimension, date_trunc('hour', created_at, 'UTC') as at, value, part, ${bucketOf(sql`ms`)} as bucket, count(*) as requests
      from (select * from share where ${ATTRIBUTED}) as request
      cross join lateral (values ('all', ''), ('application', application_id::text), ('provider', provider), ('model', model))
        as dimensions (dimension, value)
      cross join lateral (values ('total', total_ms), ('gateway', greatest(total_ms - coalesce(providers_ms, 0), 0)), ('provider', providers_ms))
        as parts (part, ms)
      where ms is not null
      group by 1, 2, 3, 4, 5
    ), long_durations as materialized (
      select dimension, span, date_trunc(span, at, 'UTC') as at, value, ${sql.join(
        PARTS.map(
          (part) =>
            sql`audit_durations(array_agg(bucket) filter (where part = ${sql.lit(part)}), array_agg(requests) filter (where part = ${sql.lit(part)}))
              as ${sql.ref(`${part}_durations`)}`,
        ),
      )}
      from durations cross join (values ('hour'), ('day'), ('week')) as spans (span)
      group by 1, 2, 3, 4
    ), usage_by_value as (
      insert into audit_usage_value as old (workspace_id, dimension, span, at, value, ${VALUE_SUMS.columns}, ${DURATIONS})
      select ${workspace}, sums.*, ${DURATIONS}
      from (
        select dimension, span, date_trunc(span, at, 'UTC') as at, value, ${VALUE_SUMS.ofSpans}
        from hourly cross join (values ('hour'), ('day'), ('week')) as spans (span)
        group by 1, 2, 3, 4
      ) as sums left join long_durations using (dimension, span, at, value)
      on conflict (workspace_id, dimension, span, at, value) do update set ${VALUE_SUMS.added}, ${sql.join(
        PARTS.map((part) => {
          const column = sql.ref(`${part}_durations`)
          return sql`${column} = audit_add_durations(old.${column}, excluded.${column})`
        }),
      )}
    )`
