import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Page, PageRequest } from '../../platform/db/page.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { Budget } from './budget.ts'

/** The current window of a budget, by the clock of the database. */
export interface BudgetWindow {
  readonly startsAt: Date
  readonly resetsAt: Date
  /** The count of the member who has spent most; undefined: nothing was counted yet. */
  readonly most: BudgetCount | undefined
}

/** Amounts in the unit of the budget. They are the ones that requests are checked against. */
export interface BudgetCount
  extends Readonly<Pick<Schema['budget_window'], 'subject' | 'spent' | 'reserved' | 'overrun' | 'overruns' | 'expired'>> {
  /** The alerts of the window, the lowest fraction first. */
  readonly reached: readonly ReachedAlert[]
}

/** A fraction of the limit as it was when the alert was sent. */
export interface ReachedAlert {
  readonly fraction: number
  /** ISO 8601 with an offset. */
  readonly at: string
}

const COUNT = sql`subject, spent, reserved, overrun, overruns, expired, (
  select coalesce(jsonb_agg(jsonb_build_object('fraction', a.fraction, 'at', a.created_at) order by a.fraction), '[]')
  from budget_alert a where a.budget_id = w.budget_id and a.subject = w.subject and a.starts_at = w.starts_at
) as reached`

/** The current windows of budgets, by the id of the budget. */
export async function readWindows(db: Db, budgets: readonly Budget[]): Promise<ReadonlyMap<string, BudgetWindow>> {
  if (budgets.length === 0) return new Map()
  const ids = budgets.map(({ id }) => uuidOf('bud', id))
  const { rows } = await sql<{ id: string; starts: Date; ends: Date } & Nullable<BudgetCount>>`
    select b.id, now_window.starts, now_window.ends, most.*
    from budget b
    cross join lateral (
      select budget_window_start(b.period, b.time_zone, clock_timestamp(), 0) as starts,
        budget_window_start(b.period, b.time_zone, clock_timestamp(), 1) as ends
    ) as now_window
    left join lateral (
      select ${COUNT} from budget_window w where budget_id = b.id and starts_at = now_window.starts order by spent desc, subject limit 1
    ) as most on true
    where b.id = any(${ids}::uuid[])`.execute(db)
  return new Map(
    rows.map(({ id, starts, ends, ...count }) => [
      toId('bud', id),
      { startsAt: starts, resetsAt: ends, most: count.subject === null ? undefined : (count as BudgetCount) },
    ]),
  )
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null }

/**
 * The members of a budget in its current window, the highest first. `subject`: only this one. Returns undefined if the
 * cursor is not one of countKey.
 */
export async function listCounts(
  db: Db,
  budget: Budget,
  { limit, after }: PageRequest,
  subject?: string,
): Promise<Page<BudgetCount> | undefined> {
  const only = subject === undefined ? sql`true` : sql`subject = ${subject}`
  const place = /^(\d{1,18})\n(.*)$/s.exec(after ?? '0\n')
  if (!place) return undefined
  const [, spent, last] = place
  const beyond = after === undefined ? sql`true` : sql`(spent < ${spent} or (spent = ${spent} and subject > ${last}))`
  const { rows } = await sql<BudgetCount>`
    select ${COUNT} from budget_window w
    where budget_id = ${uuidOf('bud', budget.id)} and ${only} and ${beyond}
      and starts_at = budget_window_start(${budget.period}, ${budget.timeZone}, clock_timestamp(), 0)
    order by spent desc, subject limit ${limit + 1}`.execute(db)
  return { data: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** The cursor of the page that follows this count. */
export const countKey = ({ spent, subject }: BudgetCount): string => `${spent}\n${subject}`

/** An enabled budget of whose limit so much is spent now that it has sent an alert. */
export interface BudgetNearLimit {
  readonly id: string
  readonly name: string
  /** Whether each member is counted separately. */
  readonly isEach: boolean
  /** How many counts have reached the lowest alert, and how many of them the limit. */
  readonly nearLimit: number
  readonly usedUp: number
  /** The highest share of the limit that is spent, from 0. */
  readonly share: number
}

/** The budgets of a Workspace that need attention, by their amounts and limits of now: a raised limit removes a budget. */
export async function readBudgetsNearLimit(db: Db, workspaceId: string): Promise<readonly BudgetNearLimit[]> {
  const { rows } = await sql<BudgetNearLimit>`
    select b.id, b.name, b.member is null as "isEach", count(*)::integer as nearLimit,
      (count(*) filter (where w.spent >= b.amount))::integer as "usedUp",
      max(w.spent)::double precision / b.amount as share
    from budget b
    join budget_window w on w.budget_id = b.id
      and w.starts_at = budget_window_start(b.period, b.time_zone, clock_timestamp(), 0)
      and w.spent >= b.amount * (select min(fraction) from unnest(b.alerts) fraction)
    where b.workspace_id = ${uuidOfWorkspace(workspaceId)} and b.enabled and b.amount > 0
    group by b.id order by share desc, b.id`.execute(db)
  return rows.map((row) => ({ ...row, id: toId('bud', row.id) }))
}

/** Removes windows that ended before `before`, and those without spending that ended before `unspent`, up to `most`. Returns how many. */
export async function removeOldWindows(
  db: Db,
  { before, unspent }: { readonly before: Date; readonly unspent: Date },
  most: number,
): Promise<number> {
  const { rows } = await sql`
    delete from budget_window where (budget_id, subject, starts_at) in (
      select budget_id, subject, starts_at from budget_window
      where reserved = 0 and (ends_at < ${before} or (ends_at < ${unspent} and spent = 0)) limit ${most}
    ) returning 1`.execute(db)
  return rows.length
}
