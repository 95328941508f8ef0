import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { PolicyPoint } from '../domain/decision.ts'
import { fromId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { RequestHashes } from './request-hash.ts'
import {
  ESCALATION_LIFETIME_MS,
  HOLD_LIFETIME_MS,
  type HoldContent,
  type ReviewItem,
  type ReviewKind,
  type ReviewOpener,
} from './review.ts'
import { ITEM_COLUMNS, seal, toItem, unseal, uuidOf } from './review-row.ts'

/** What an exchange hands over for a person to look at. */
export interface NewReview
  extends Pick<
    ReviewItem,
    | 'id'
    | 'userId'
    | 'sessionId'
    | 'endpoint'
    | 'point'
    | 'rules'
    | 'classification'
    | 'riskLevel'
    | 'findings'
    | 'requestHash'
    | 'policy'
    | 'model'
    | 'createdAt'
    | 'auditId'
  > {
  /** See RequestHashes. */
  readonly earlierHash?: Buffer
  readonly content: HoldContent
  /** `key_…`, of the API key that it was asked with. */
  readonly keyId?: string | undefined
  /** Operators who issued a key that it was asked with. */
  readonly keyIssuers?: readonly string[]
  /** `msg_…`, of the message that it is about. */
  readonly messageId?: string | undefined
  /** Default: 24 h for a hold, a week for an escalation. */
  readonly lifetimeMs?: number | undefined
}

/** First of the two 32-bit halves of the advisory locks of this table: 'revi'. The second is from the request's hash. */
const LOCK_SPACE = 0x72657669

/**
 * Opens a hold, or answers the one that waits already for the identical request (GW-RETRY-2), at whichever
 * point it was held: `created` tells. Only an answer is not put to a request that waits. Identical requests at the same time, on whatever node, get one item.
 *
 * @NOTE Call it before the audit record is appended: it may wait for an identical request, and should not do so while
 * holding the Workspace's chain.
 */
export async function openHold(
  tx: Tx,
  owner: ReviewOpener,
  hold: NewReview,
  box: SecretBox,
): Promise<{ item: ReviewItem; created: boolean }> {
  await sql`select pg_advisory_xact_lock(${LOCK_SPACE}::int, ${hold.requestHash.readInt32BE()}::int)`.execute(tx)
  // A held answer must not be lost in a hold that has none, whose release would ask the provider once more.
  const point = hold.point === 'output' ? hold.point : undefined
  const pending = await findPendingHold(tx, owner, hold, hold.createdAt, point)
  if (pending) {
    await addKeyIssuers(tx, pending, hold.keyIssuers ?? [])
    return { item: pending, created: false }
  }
  return { item: await insert(tx, owner, 'hold', hold, hold.lifetimeMs ?? HOLD_LIFETIME_MS, box), created: true }
}

/** Whoever issued the key of an identical request has asked as well. */
async function addKeyIssuers(tx: Tx, { workspaceId, id, keyIssuers }: ReviewItem, issuers: readonly string[]): Promise<void> {
  const added = issuers.filter((issuer) => !keyIssuers.includes(issuer))
  if (added.length === 0) return
  await tx
    .updateTable('review_item')
    .set({ key_issuers: sql<string[]>`key_issuers || ${added}::text[]` })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('rev', id))
    .execute()
}

/** Puts an answer that has left, or is about to, before the reviewers (GW-VERD-3). Nothing waits for it. */
export const openEscalation = (tx: Tx, owner: ReviewOpener, escalation: NewReview, box: SecretBox): Promise<ReviewItem> =>
  insert(tx, owner, 'escalation', escalation, escalation.lifetimeMs ?? ESCALATION_LIFETIME_MS, box)

/**
 * The hold that an identical request waits for. With `point`, only one held there: ask for `output` before calling a
 * provider for a request that the input policies let pass.
 */
export async function findPendingHold(
  db: Db,
  owner: ReviewOpener,
  { requestHash, earlierHash }: RequestHashes,
  now: Date,
  point?: PolicyPoint,
): Promise<ReviewItem | undefined> {
  let query = holdsOf(db, owner)
    .where('request_hash', 'in', earlierHash ? [requestHash, earlierHash] : [requestHash])
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
  if (point) query = query.where('point', '=', point)
  const row = await query.select(ITEM_COLUMNS).orderBy('id').limit(1).executeTakeFirst()
  return row && toItem(row, now)
}

/** For reviewers: any item of the Workspace. */
export async function getReview(db: Db, workspaceId: string, id: string, now: Date): Promise<ReviewItem | undefined> {
  const row = await itemOf(db, workspaceId, id).select(ITEM_COLUMNS).executeTakeFirst()
  return row && toItem(row, now)
}

/** For reviewers only: what they are to judge. Undefined when erased, past its time (swept or not), or not there. */
export async function reviewContent(
  db: Db,
  workspaceId: string,
  id: string,
  now: Date,
  box: SecretBox,
): Promise<HoldContent | undefined> {
  const row = await itemOf(db, workspaceId, id).where('expires_at', '>', now).select('content').executeTakeFirst()
  return row?.content ? unseal<HoldContent>(box, id, 'content', row.content) : undefined
}

/**
 * Sweeps at most `limit` items whose time is up, of all Workspaces: their content and results are erased, and those that
 * still waited are marked, so that they leave the queue's index. Answers how many; fewer than `limit`: none are left.
 * Nothing depends on it for what callers see: expiry is read from the clock.
 */
export async function eraseExpired(db: Db, now: Date, limit: number): Promise<number> {
  const due = db
    .selectFrom('review_item')
    .select('id')
    .where('expires_at', '<=', now)
    .where((where) => where.or([where('content', 'is not', null), where('result', 'is not', null)]))
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  const { numUpdatedRows } = await db
    .updateTable('review_item')
    .set({
      content: null,
      result: null,
      state: sql<string>`case when state in ('pending', 'approved') then 'expired' else state end`,
    })
    .where('id', 'in', due)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

const holdsOf = (db: Db, { workspaceId, applicationId }: ReviewOpener) =>
  db
    .selectFrom('review_item')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where((where) =>
      applicationId === null ? where('application_id', 'is', null) : where('application_id', '=', uuidOf('app', applicationId)),
    )
    .where('kind', '=', 'hold')

const itemOf = (db: Db, workspaceId: string, id: string) =>
  db
    .selectFrom('review_item')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', fromId('rev', id) ?? null)

async function insert(
  tx: Tx,
  { workspaceId, applicationId }: ReviewOpener,
  kind: ReviewKind,
  review: NewReview,
  lifetimeMs: number,
  box: SecretBox,
): Promise<ReviewItem> {
  const row = await tx
    .insertInto('review_item')
    .values({
      id: uuidOf('rev', review.id),
      workspace_id: uuidOf('ws', workspaceId),
      application_id: applicationId === null ? null : uuidOf('app', applicationId),
      message_id: review.messageId === undefined ? null : uuidOf('msg', review.messageId),
      kind,
      state: 'pending',
      point: review.point,
      endpoint: review.endpoint,
      user_id: review.userId,
      session_id: review.sessionId,
      key_id: review.keyId === undefined ? null : uuidOf('key', review.keyId),
      key_issuers: review.keyIssuers ?? [],
      request_hash: review.requestHash,
      rules: JSON.stringify(review.rules),
      findings: JSON.stringify(review.findings),
      classification: review.classification,
      risk_level: review.riskLevel,
      policy: review.policy && JSON.stringify(review.policy),
      model: review.model,
      content: seal(box, review.id, 'content', review.content),
      audit_id: uuidOf('aud', review.auditId),
      created_at: review.createdAt,
      expires_at: new Date(review.createdAt.getTime() + lifetimeMs),
    })
    .returning(ITEM_COLUMNS)
    .executeTakeFirstOrThrow()
  return toItem(row, review.createdAt)
}
