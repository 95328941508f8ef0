import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { type ListSort, type Page, type PageRequest, pageById, readPage, sortedKeyset } from '../../platform/db/page.ts'
import { fromId } from '../../platform/lib/id.ts'
import type { ApplicationRecord } from './application.ts'
import { type ApplicationRow, applicationOf, applications } from './application-store.ts'

export const APPLICATION_SORTS = ['name', 'last_used', 'requests', 'cost'] as const
type ApplicationSort = ListSort<(typeof APPLICATION_SORTS)[number]>

/** SQL for rows of `value` (UUID of an Application, as text), `requests` and `cost`. */
export type UsageSource = RawBuilder<unknown>

export interface ListedApplication {
  readonly application: ApplicationRecord
  readonly lastUsedAt: Date | null
  readonly requests: number
  readonly cost: number | null
}

/** Which Applications a list has: those in use, archived ones, or both. */
export const ARCHIVED = ['false', 'true', 'any'] as const

const LAST_USED = sql<Date | null>`(
  select max(last_used_at) from api_key
  where api_key.workspace_id = application.workspace_id and api_key.application_id = application.id)`

interface ListOptions {
  readonly usage?: UsageSource | undefined
  readonly sort?: ApplicationSort | undefined
  readonly archived?: (typeof ARCHIVED)[number] | undefined
}

const SORT_VALUES = {
  name: sql`lower(application.name)`,
  last_used: sql`coalesce(${LAST_USED}, '-infinity')`,
  requests: sql`coalesce(usage.requests, 0)`,
  cost: sql`coalesce(usage.cost, -1)`,
}

const NO_USAGE: UsageSource = sql`(select null as value, null::float8 as requests, null::float8 as cost where false)`

/** Oldest first without `sort`. Undefined: `page.after` is no id, or not in a sorted list. */
export async function listUsedApplications(
  db: Db,
  workspaceId: string,
  page: PageRequest,
  { usage = NO_USAGE, sort, archived = 'false' }: ListOptions,
): Promise<Page<ListedApplication> | undefined> {
  const listed = applications(db, workspaceId)
    .$if(archived !== 'any', (query) => query.where('archived_at', archived === 'true' ? 'is not' : 'is', null))
    .leftJoin(usage.as<'usage'>('usage'), (join) => join.on(sql<boolean>`usage.value = application.id::text`))
    .select([
      LAST_USED.as('last_used_at'),
      sql<number>`coalesce(usage.requests, 0)`.as('requests'),
      sql<number | null>`usage.cost`.as('cost'),
    ])
  if (!sort) return pageById(listed, 'app', page, listedOf, { column: 'application.id' })
  const id = page.after === undefined ? undefined : fromId('app', page.after)
  const place = applications(db, workspaceId).where('application.id', '=', id ?? null)
  if (page.after !== undefined && !(await place.executeTakeFirst())) return undefined
  const sorted = db
    .with('listed', () => listed.select(SORT_VALUES[sort.by].as('sort_value')))
    .selectFrom('listed')
    .selectAll()
  return readPage(sorted, page, sortedKeyset(sort.direction, id), listedOf)
}

type Row = ApplicationRow & { last_used_at: Date | null; requests: number; cost: number | null }

const listedOf = (row: Row): ListedApplication => ({
  application: applicationOf(row),
  lastUsedAt: row.last_used_at,
  requests: row.requests,
  cost: row.cost,
})
