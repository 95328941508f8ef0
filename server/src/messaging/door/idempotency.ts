import { createHash } from 'node:crypto'
import type { Db, Tx } from '../../db/database.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import { GatehouseError } from '../../errors.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import type { Member } from './member.ts'
import { invalid } from './refusals.ts'

const MAX_KEY = 255
/** How long a key is remembered (decisions.md §3). */
const KEPT_MS = 24 * 3_600_000
/** Of a key whose request is still being worked on: nobody outside its transaction ever sees it. */
const UNANSWERED = 0

/** One key of one user, and what it was sent with. */
export interface Once {
  readonly member: Member
  readonly key: string
  readonly fingerprint: Buffer
}

/** An answer as it was given the first time. */
export interface Given {
  readonly status: number
  readonly body: string
}

/** The `Idempotency-Key` of a request, if it has one. Throws a 400 for one that is empty or too long. */
export function keyIn(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY) return key
  throw invalid({ param: 'Idempotency-Key', message: `must have 1 to ${MAX_KEY} characters` })
}

/** The same for the same request, whether it was sent as a form or as JSON, and whatever the order of its fields. */
export const fingerprintOf = (method: string, url: string, body: unknown): Buffer =>
  createHash('sha256')
    .update(`${method} ${url}\n${canonicalJson(body ?? null)}`)
    .digest()

/** What the key's first request was answered; undefined when there is none. Throws a 409 when that was another request. */
export async function findGiven(db: Db, { member, key, fingerprint }: Once, now: Date): Promise<Given | undefined> {
  const row = await db
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'status', 'body'])
    .where('workspace_id', '=', uuidOfWorkspace(member.workspaceId))
    .where('user_id', '=', member.user.id)
    .where('key', '=', key)
    .where('created_at', '>', new Date(now.getTime() - KEPT_MS))
    .executeTakeFirst()
  if (!row) return undefined
  if (!row.fingerprint.equals(fingerprint)) {
    throw new GatehouseError('CONFLICT', { message: 'This Idempotency-Key was used for another request.' })
  }
  return { status: row.status, body: row.body }
}

/** Takes the key for this transaction: who comes with the same one waits for its end. False when it was taken before. */
export async function takeKey(tx: Tx, { member, key, fingerprint }: Once, now: Date): Promise<boolean> {
  const values = { fingerprint, status: UNANSWERED, body: '', created_at: now }
  const row = await tx
    .insertInto('idempotency_key')
    .values({ workspace_id: uuidOfWorkspace(member.workspaceId), user_id: member.user.id, key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'user_id', 'key'])
        .doUpdateSet(values)
        .where('idempotency_key.created_at', '<=', new Date(now.getTime() - KEPT_MS)),
    )
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

/** Keeps the answer under a key that this transaction took. */
export async function keepGiven(tx: Tx, { member, key }: Once, { status, body }: Given): Promise<void> {
  await tx
    .updateTable('idempotency_key')
    .set({ status, body })
    .where('workspace_id', '=', uuidOfWorkspace(member.workspaceId))
    .where('user_id', '=', member.user.id)
    .where('key', '=', key)
    .execute()
}

/** Removes up to `most` keys that are forgotten by now; answers how many. */
export async function removeOldKeys(db: Db, now: Date, most: number): Promise<number> {
  const old = db
    .selectFrom('idempotency_key')
    .select(['workspace_id', 'user_id', 'key'])
    .where('created_at', '<=', new Date(now.getTime() - KEPT_MS))
    .limit(most)
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_key')
    .where(({ eb, refTuple }) =>
      eb(refTuple('workspace_id', 'user_id', 'key'), 'in', old.$asTuple('workspace_id', 'user_id', 'key')),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
