import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Wrong passwords for one account, from wherever they come, before it has to wait. */
const MAX_ATTEMPTS = 10
const WINDOW_MS = 15 * 60_000

/** The address itself is nobody's business here, and it may be anything that somebody typed. */
const keyOf = (email: string): string => `account:${hash('sha256', email.trim().toLowerCase(), 'hex')}`

/**
 * Counts an attempt to sign in to an account; answers the seconds to wait when there have been too many. Beside the limit for
 * each address, which many addresses together get around.
 */
export async function countAttempt(db: Db, email: string, now: Date): Promise<number | undefined> {
  const key = keyOf(email)
  const at = now.getTime()
  const { rows } = await sql<{ count: number; last_request: number }>`
    insert into operator_rate_limit as known (id, key, count, last_request) values (${key}, ${key}, 1, ${at})
    on conflict (key) do update set
      count = case when known.last_request < ${at - WINDOW_MS} then 1 else known.count + 1 end,
      last_request = case when known.last_request < ${at - WINDOW_MS} then ${at} else known.last_request end
    returning count, last_request`.execute(db)
  const { count = 0, last_request = at } = rows[0] ?? {}
  return count <= MAX_ATTEMPTS ? undefined : Math.max(1, Math.ceil((last_request + WINDOW_MS - at) / 1_000))
}

/** Somebody knew the password. */
export async function forgetAttempts(db: Db, email: string): Promise<void> {
  await db.deleteFrom('operator_rate_limit').where('key', '=', keyOf(email)).execute()
}
