import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'

/** Wrong passwords for an account from all addresses together. */
const PASSWORD_LIMIT = { max: 10, windowMs: 15 * 60_000 }
/** A 6-digit code is valid in its half minute, the one before and the one after. It can be used once. */
const CODE_LIMIT = { max: 1, windowMs: 90_000 }
const MAX_AGE_MS = 60 * 60_000

interface Attempt {
  /** Seconds until the next attempt is allowed; undefined: this attempt is allowed. */
  readonly waitSeconds: number | undefined
  readonly isFirstRefused: boolean
}

/** Counts an attempt for `key` on all nodes: at most `max` are allowed in a window, which begins with its first attempt. */
export async function countAttempt(
  db: Db,
  key: string,
  { max, windowMs }: { readonly max: number; readonly windowMs: number },
  now: Date,
): Promise<Attempt> {
  const at = now.getTime()
  const { rows } = await sql<{ count: number; last_request: number }>`
    insert into operator_rate_limit as known (id, key, count, last_request) values (${key}, ${key}, 1, ${at})
    on conflict (key) do update set
      count = case when known.last_request <= ${at - windowMs} then 1 else known.count + 1 end,
      last_request = case when known.last_request <= ${at - windowMs} then ${at} else known.last_request end
    returning count, last_request`.execute(db)
  const { count = 0, last_request = at } = rows[0] ?? {}
  const waitSeconds = count <= max ? undefined : Math.max(1, Math.ceil((last_request + windowMs - at) / 1_000))
  return { waitSeconds, isFirstRefused: count === max + 1 }
}

/** Counts an attempt to sign in to an account. The limit per address alone could be avoided with many addresses. */
export const countPasswordAttempt = (db: Db, email: string, now: Date): Promise<Attempt> =>
  countAttempt(db, accountKey(email), PASSWORD_LIMIT, now)

export async function resetPasswordAttempts(db: Db, email: string): Promise<void> {
  await db.deleteFrom('operator_rate_limit').where('key', '=', accountKey(email)).execute()
}

/** Whether a 6-digit code is used for the first time, so that an observed code is useless. */
export async function isFirstCodeUse(db: Db, operatorId: string, code: string, now: Date): Promise<boolean> {
  const key = `code:${hash('sha256', `${operatorId} ${code}`, 'hex')}`
  return (await countAttempt(db, key, CODE_LIMIT, now)).waitSeconds === undefined
}

/** Hashed, because the client can send any text as an email address. */
const accountKey = (email: string): string => `account:${hash('sha256', email.trim().toLowerCase(), 'hex')}`

export async function removeExpiredSignIns(db: Db, now: Date): Promise<void> {
  for (const table of ['operator_session', 'operator_invitation', 'operator_verification'] as const)
    await db.deleteFrom(table).where('expires_at', '<', now).execute()
  const old = now.getTime() - MAX_AGE_MS
  await db.deleteFrom('operator_rate_limit').where('last_request', '<', old).execute()
}
