import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import type { PolicyPoint } from '../../shared/decision.ts'
import { announceReview } from './announce-review.ts'
import { ESCALATION_LIFETIME_MS, HOLD_LIFETIME_MS, type HoldContent, type ReviewKind, type ReviewOpener } from './review.ts'
import { expireIfOpen, ITEM_COLUMNS, itemOf, pendingHolds, type ReviewItem, seal, toItem, unseal } from './review-row.ts'

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
  readonly content: HoldContent
  readonly keyId?: string | undefined
  readonly keyIssuers?: readonly string[]
  readonly messageId?: string | undefined
  /** Default: 24 h for a hold, a week for an escalation. */
  readonly lifetimeMs?: number | undefined
  readonly requiredApprovals?: number | undefined
}

/** First number of this table's advisory locks: 'revi'. The second number is from the request's hash. */
const LOCK_SPACE = 0x72657669

/**
 * Identical requests at the same time get one item, with `created: false` for all but the first (GW-RETRY-2).
 * @NOTE Call it before the audit record is appended: it can wait for an identical request and must not lock the audit log.
 */
export async function openHold(
  tx: Tx,
  owner: ReviewOpener,
  hold: NewReview,
  box: SecretBox,
): Promise<{ item: ReviewItem; created: boolean }> {
  await sql`select pg_advisory_xact_lock(${LOCK_SPACE}::int, ${hold.requestHash.readInt32BE()}::int)`.execute(tx)
  // A pending input hold cannot keep this completion: its release would call the provider a second time.
  const point = hold.point === 'output' ? hold.point : undefined
  const pending = await findPendingHold(tx, owner, hold.requestHash, hold.createdAt, point)
  if (pending) {
    await addDemands(tx, pending, hold)
    return { item: pending, created: false }
  }
  return { item: await insert(tx, owner, 'hold', hold, hold.lifetimeMs ?? HOLD_LIFETIME_MS, box), created: true }
}

/**
 * The issuer of an identical request's key cannot decide on the item either, and the active policy may demand more approvals than the one
 * that opened the hold.
 */
async function addDemands(
  tx: Tx,
  { workspaceId, id, keyIssuers, requiredApprovals }: ReviewItem,
  { keyIssuers: issuers = [], requiredApprovals: required = 1 }: NewReview,
): Promise<void> {
  const added = issuers.filter((issuer) => !keyIssuers.includes(issuer))
  if (added.length === 0 && required <= requiredApprovals) return
  await tx
    .updateTable('review_item')
    .set({
      key_issuers: sql<string[]>`key_issuers || ${added}::text[]`,
      required_approvals: sql<number>`greatest(required_approvals, ${required}::integer)`,
    })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('rev', id))
    .execute()
}

/** Shows reviewers a completion that is not paused (GW-VERD-3). */
export const openEscalation = (tx: Tx, owner: ReviewOpener, escalation: NewReview, box: SecretBox): Promise<ReviewItem> =>
  insert(tx, owner, 'escalation', escalation, escalation.lifetimeMs ?? ESCALATION_LIFETIME_MS, box)

export async function findPendingHold(
  db: Db,
  owner: ReviewOpener,
  requestHash: Buffer,
  now: Date,
  point?: PolicyPoint,
): Promise<ReviewItem | undefined> {
  let query = pendingHolds(db, owner, now).where('request_hash', '=', requestHash)
  if (point) query = query.where('point', '=', point)
  const row = await query.select(ITEM_COLUMNS).orderBy('id').limit(1).executeTakeFirst()
  return row && toItem(row, now)
}

export async function getReview(db: Db, workspaceId: string, id: string, now: Date): Promise<ReviewItem | undefined> {
  const row = await itemOf(db, workspaceId, id).select(ITEM_COLUMNS).executeTakeFirst()
  return row && toItem(row, now)
}

/** The content of an item, for reviewers. Returns undefined if it is erased or expired, or if the item does not exist. */
export async function readReviewContent(
  db: Db,
  workspaceId: string,
  id: string,
  now: Date,
  box: SecretBox,
): Promise<HoldContent | undefined> {
  const row = await itemOf(db, workspaceId, id).where('expires_at', '>', now).select('content').executeTakeFirst()
  return row?.content ? unseal<HoldContent>(box, id, 'content', row.content) : undefined
}

/** Fewer than `limit` erased: none are left. Open items become expired, so that the index of the queue stays small. */
export async function eraseExpiredReviews(db: Db, now: Date, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const erased = await eraseExpired(tx, now, limit)
    for (const { earlier_state, ...row } of erased)
      if (earlier_state !== row.state) await announceReview(tx, 'review.expired', toItem(row, now))
    return erased.length
  })
}

function eraseExpired(tx: Tx, now: Date, limit: number) {
  const due = tx
    .selectFrom('review_item')
    .select(['id as due_id', 'state as earlier_state'])
    .where('expires_at', '<=', now)
    .where((where) => where.or([where('content', 'is not', null), where('result', 'is not', null)]))
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return tx
    .updateTable('review_item')
    .from(due.as('due'))
    .set({ content: null, result: null, question: null, state: expireIfOpen })
    .whereRef('id', '=', 'due_id')
    .returning([...ITEM_COLUMNS, 'earlier_state'])
    .execute()
}

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
      required_approvals: review.requiredApprovals ?? 1,
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
  const item = toItem(row, review.createdAt)
  await announceReview(tx, 'review.created', item)
  return item
}

export async function findDecidedReviews(db: Db, ids: readonly string[]): Promise<string[]> {
  const uuids = ids.map((id) => uuidOf('rev', id))
  const query = db.selectFrom('review_item').select('id').where('state', '!=', 'pending')
  const rows = await query.where('id', '=', sql<string>`any(${sql.val(uuids)}::uuid[])`).execute()
  return rows.map(({ id }) => toId('rev', id))
}
