import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import { ERRORS, errorBody, GatehouseError } from '../../errors.ts'
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
    .set({ status, body, object_ids: objectIdsIn(body) })
    .where('workspace_id', '=', uuidOfWorkspace(member.workspaceId))
    .where('user_id', '=', member.user.id)
    .where('key', '=', key)
    .execute()
}

/**
 * Part of deleting for good: answers about any of these objects are forgotten, their content with them. Whoever repeats such a
 * request is told so, and nothing is made a second time.
 */
export async function forgetAnswersAbout(tx: Tx, workspaceId: string, objectIds: readonly string[]): Promise<void> {
  if (objectIds.length === 0) return
  await tx
    .updateTable('idempotency_key')
    .set(FORGOTTEN)
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where(sql<boolean>`object_ids && ${objectIds}::text[]`)
    .execute()
}

/** Instead of an answer that is forgotten. */
export const FORGOTTEN = {
  status: ERRORS.NOT_FOUND.status,
  body: JSON.stringify(
    errorBody('NOT_FOUND', {
      message: 'What was answered under this Idempotency-Key has been deleted since. Nothing was done again.',
    }),
  ),
  object_ids: null,
}

/** The ids of what an answer is about: the object itself, where it is, and what it carries. */
function objectIdsIn(body: string): string[] | null {
  if (!body.startsWith('{')) return null
  const { id, conversation_id, group_id, message_id, attachments } = JSON.parse(body) as Readonly<Record<string, unknown>>
  const carried = Array.isArray(attachments) ? attachments.map((one: { id?: unknown }) => one.id) : []
  const ids = [id, conversation_id, group_id, message_id, ...carried].filter((one) => typeof one === 'string')
  return ids.length > 0 ? [...new Set(ids)] : null
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
