import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

interface Allowance {
  readonly max: number
  readonly windowMs: number
}

/** Wrong passwords for one account, from wherever they come, before it has to wait. */
const ACCOUNT: Allowance = { max: 10, windowMs: 15 * 60_000 }
/** A code of six digits is right for this long: in its half minute, and in those before and after. */
const CODE: Allowance = { max: 1, windowMs: 90_000 }
/** Longer than any window. */
const FORGOTTEN_MS = 60 * 60_000

export interface Attempt {
  /** Seconds, when there have been too many. */
  readonly wait: number | undefined
  /** Of those that have to wait in this window, the first. */
  readonly isFirstToWait: boolean
}

/** Counts an attempt under that key, across all nodes, in windows that begin with the first. */
export async function countAttempt(db: Db, key: string, { max, windowMs }: Allowance, now: Date): Promise<Attempt> {
  const at = now.getTime()
  const { rows } = await sql<{ count: number; last_request: number }>`
    insert into operator_rate_limit as known (id, key, count, last_request) values (${key}, ${key}, 1, ${at})
    on conflict (key) do update set
      count = case when known.last_request <= ${at - windowMs} then 1 else known.count + 1 end,
      last_request = case when known.last_request <= ${at - windowMs} then ${at} else known.last_request end
    returning count, last_request`.execute(db)
  const { count = 0, last_request = at } = rows[0] ?? {}
  const wait = count <= max ? undefined : Math.max(1, Math.ceil((last_request + windowMs - at) / 1_000))
  return { wait, isFirstToWait: count === max + 1 }
}

/** Removes what no window counts any more. */
export async function removeOldAttempts(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('operator_rate_limit')
    .where('last_request', '<', now.getTime() - FORGOTTEN_MS)
    .execute()
}

/** As `countAttempt`, for an account: beside the limit for each address, which many addresses together get around. */
export const countPasswordAttempt = (db: Db, email: string, now: Date): Promise<Attempt> =>
  countAttempt(db, keyOf(email), ACCOUNT, now)

/** Somebody knew the password. */
export async function resetPasswordAttempts(db: Db, email: string): Promise<void> {
  await db.deleteFrom('operator_rate_limit').where('key', '=', keyOf(email)).execute()
}

/** Whether it is the first time that somebody comes in with that code: whoever has looked over a shoulder comes second. */
export async function isFirstCodeUse(db: Db, operatorId: string, code: string, now: Date): Promise<boolean> {
  const key = `code:${hash('sha256', `${operatorId} ${code}`, 'hex')}`
  return (await countAttempt(db, key, CODE, now)).wait === undefined
}

/** The address itself is nobody's business here, and it may be anything that somebody typed. */
const keyOf = (email: string): string => `account:${hash('sha256', email.trim().toLowerCase(), 'hex')}`
