import { sql } from 'kysely'
import type { Database } from '../../server/src/db/database.ts'

/** Values of each property, and how many of them in a hundred have a request in an hour, in a day and in a week. */
const DIMENSIONS = {
  all: { values: 1, active: { hour: 100, day: 100, week: 100 }, isTimed: true },
  application: { values: 100, active: { hour: 95, day: 100, week: 100 }, isTimed: true },
  provider: { values: 6, active: { hour: 100, day: 100, week: 100 }, isTimed: true },
  model: { values: 50, active: { hour: 95, day: 100, week: 100 }, isTimed: true },
  key: { values: 500, active: { hour: 80, day: 100, week: 100 }, isTimed: false },
  user: { values: 10_000, active: { hour: 25, day: 85, week: 100 }, isTimed: false },
} as const
const HOURS = { hour: 1, day: 24, week: 168 } as const

interface Filled {
  readonly records: number
  readonly days: number
}

/** Writes the counts by one property that `records` until now would have, and those of minutes of the last two days. */
export async function fillUsage({ db }: Database, workspace: string, { records, days }: Filled): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    for (const [dimension, { values, active, isTimed }] of Object.entries(DIMENSIONS)) {
      for (const [span, hours] of Object.entries(HOURS)) {
        const share = active[span as keyof typeof HOURS]
        const requests = Math.max(1, Math.round((records * hours) / days / 24 / values / (share / 100)))
        const durations = isTimed
          ? sql`(select array_agg(case when n < 45 then 0 else ${requests}::bigint * (n % 7) / 200 end) from generate_series(1, 115) as n)`
          : sql`null::bigint[]`
        await sql`
          with durations as materialized (select ${durations} as list)
          insert into audit_usage_value
          select ${workspace}, ${dimension}, ${span}, at, case when ${dimension} = 'all' then '' when ${dimension} = 'application'
              then md5('application ' || n)::uuid::text else md5(${dimension} || n) || md5('value ' || n) end,
            counts.requests, counts.requests, 0, 0, counts.requests / 20, counts.requests / 100, counts.requests * 900, counts.requests * 300,
            counts.requests * 250, counts.requests * 40, counts.requests * 0.002, counts.requests * 800, counts.requests * 780,
            list, list, list
          from generate_series(date_trunc(${span}, now() - make_interval(days => ${days}), 'UTC'), now(), make_interval(hours => ${hours})) as at
          cross join generate_series(1, ${values}::int) as n
          cross join lateral (select ${requests}::bigint * (1 + n % 3) as requests) as counts
          cross join durations
          where abs(hashint8(n + 7919 * extract(epoch from at)::bigint)) % 100 < ${share}
          on conflict do nothing`.execute(connection)
      }
    }
    await sql`
      insert into audit_usage
      select ${workspace}, 'minute', at, md5('application ' || n % 100)::uuid, 'key ' || n % 500, 'provider ' || n % 6, 'model ' || n % 50, 'allow',
        1, 0, 900, 300, 250, 40, 0.002, 800, 780
      from generate_series(date_trunc('minute', now() - interval '2 days'), now(), interval '1 minute') as at
      cross join generate_series(1, ${Math.ceil(records / days / 1_440)}::int) as place
      cross join lateral (select abs(hashint8(place + 7919 * extract(epoch from at)::bigint)) % 3000 as n) as combination
      on conflict do nothing`.execute(connection)
    await sql`vacuum analyze`.execute(connection)
  })
}
