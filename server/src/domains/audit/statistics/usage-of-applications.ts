import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { rollUpNewestRecords } from './roll-up.ts'
import { usageSource } from './usage-source.ts'
import { floorTo } from './usage-spans.ts'

const DAYS = 30
const DAY_MS = 86_400_000

/**
 * SQL for `requests` and `cost` of each Application in the last 30 days; `value` is its UUID as text. Whole days in UTC, because their counts
 * have fewer rows than those of hours, and a list by requests reads those of all Applications.
 */
export async function usageOfApplications(db: Db, workspaceId: string, now: Date): Promise<RawBuilder<unknown>> {
  await rollUpNewestRecords(db, workspaceId, now)
  const to = new Date(floorTo(DAY_MS, now).getTime() + DAY_MS)
  const from = new Date(to.getTime() - DAYS * DAY_MS)
  const source = await usageSource(db, { workspaceId, from, to }, { longest: 'week', dimension: 'application' })
  return sql`(select value, sum(requests::float8) as requests, sum(cost) as cost from ${source} as part group by value)`
}
