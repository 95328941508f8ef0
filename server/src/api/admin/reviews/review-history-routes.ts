import { Type } from 'typebox'
import { findKey } from '../../../domains/identity/api-key-store.ts'
import { findActorNames } from '../../../domains/operators/actors.ts'
import { REVIEW_STATES } from '../../../domains/review/review.ts'
import { readReviewHistory } from '../../../domains/review/review-history.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import { getReview } from '../../../domains/review/review-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { Timestamp } from '../../../platform/lib/fields.ts'
import { requireFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'

const WEEK_MS = 7 * 24 * 3_600_000

const StateCounts = (description: string) =>
  Type.Object(Object.fromEntries(REVIEW_STATES.map((state) => [state, Type.Optional(Type.Integer())])), {
    title: 'ReviewStateCounts',
    description,
  })

const ReviewHistoryView = Type.Object({
  object: Type.Literal('review_history'),
  review_item_id: Type.String(),
  from: Timestamp,
  like: StateCounts('Other items with the same first rule and the same Application, by state.'),
  user: nullable(StateCounts('Other items of the same user, by state. null: the item has no user.')),
  key: nullable(
    Type.Object(
      { id: Type.String(), name: Type.String(), issued_by: nullable(Type.String()), issued_by_name: nullable(Type.String()) },
      { description: 'The API key of the request.' },
    ),
  ),
})

const docs = inWorkspace('GET /reviews/:id/history', 'getReviewHistory', 'Get earlier decisions on like requests', {
  scope: 'reviews:read',
  description:
    'Counts of the other items of the last 7 days, and the API key of the request with its issuer. Nothing is recorded.',
  answers: { 200: ReviewHistoryView },
  errors: { 404: 'NOT_FOUND: the item, or the Workspace' },
})

export function reviewHistoryRoutes(app: TypedApp, { db, clock }: AdminDeps): void {
  handle(app, docs, async ({ workspaceId, params }) => {
    const now = clock.now()
    const item = requireFound(await getReview(db, workspaceId, params.id, now), 'review item')
    const from = new Date(now.getTime() - WEEK_MS)
    const { like, user } = await readReviewHistory(db, item, from, now)
    return {
      object: 'review_history' as const,
      review_item_id: item.id,
      from: from.toISOString(),
      like,
      user: user ?? null,
      key: await keyView(db, item),
    }
  })
}

async function keyView(db: Db, { workspaceId, keyId }: ReviewItem) {
  const key = keyId === null ? undefined : await findKey(db, workspaceId, keyId)
  if (!key) return null
  const { id, name, issuedBy } = key
  const issuer = issuedBy === null ? undefined : (await findActorNames(db, [issuedBy])).get(issuedBy)
  return { id, name, issued_by: issuedBy, issued_by_name: issuer ?? null }
}
