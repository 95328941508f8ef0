import { Type } from 'typebox'
import { lockReview } from '../../../domains/review/decision-store.ts'
import { askRequester, extendReview, mayExtend } from '../../../domains/review/pending-review-store.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import { Timestamp } from '../../../platform/lib/fields.ts'
import { conflict, invalid, requireFound } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { ReviewView, reviewView } from './review-shapes.ts'

const errors = { 404: 'NOT_FOUND: the item, or the Workspace', 409: 'CONFLICT: the item is no longer pending, or it is no hold' }

const docs = {
  extend: inWorkspace('POST /reviews/:id/extend', 'extendReview', 'Extend the deadline of a pending review item', {
    scope: 'reviews:write',
    description:
      'The new time must be later than the present one, and within 30 days of the request, the longest time that a rule can set. The content is kept until then.',
    body: Type.Object({ expires_at: Timestamp }),
    answers: { 200: ReviewView },
    errors: { ...errors, 400: 'VALIDATION_ERROR: the time is out of these limits' },
  }),
  ask: inWorkspace('POST /reviews/:id/ask', 'askRequester', 'Ask the requester of a held request', {
    scope: 'reviews:write',
    description:
      'The question is in the 409 of the next resubmission, as message and as `details.question`. The requester answers outside of Gatehouse, or sends a changed request, which is another hold. A later question replaces it.',
    body: Type.Object({ question: Type.String({ minLength: 1, maxLength: 1_000, pattern: '^[^\\u0000]*\\S[^\\u0000]*$' }) }),
    answers: { 200: ReviewView },
    errors,
  }),
}

export function pendingReviewRoutes(app: TypedApp, deps: AdminDeps): void {
  const { clock, waiters } = deps

  handle(app, docs.extend, async (request) => {
    const { workspaceId, params, body } = request
    const expiresAt = new Date(body.expires_at)
    const extended = async (tx: Parameters<typeof lockReview>[0], now: Date) => {
      const item = requirePending(await lockReview(tx, workspaceId, params.id, now))
      if (!mayExtend(item, expiresAt))
        throw invalid({
          param: 'expires_at',
          message: 'must be later than the present deadline, and within 30 days of the request',
        })
      const value = requirePending(await extendReview(tx, workspaceId, item.id, expiresAt, now))
      return { value, action: 'review.extend' as const, id: value.id, fields: ['expires_at'] }
    }
    const item = await change(deps, request, extended, (tx) => lockReview(tx, workspaceId, params.id, clock.now()))
    await waiters.changed(item.id)
    return reviewView(item)
  })

  handle(app, docs.ask, async (request) => {
    const { workspaceId, operator, params, body } = request
    const asked = async (tx: Parameters<typeof lockReview>[0], now: Date) => {
      const item = requirePending(await lockReview(tx, workspaceId, params.id, now))
      if (item.kind !== 'hold' || item.messageId !== null) throw notAskable(item)
      const question = { question: body.question.trim(), by: operator.id }
      const value = requirePending(await askRequester(tx, workspaceId, item.id, question, now))
      return { value, action: 'review.ask' as const, id: value.id, fields: ['question'] }
    }
    const item = await change(deps, request, asked, (tx) => lockReview(tx, workspaceId, params.id, clock.now()))
    await waiters.changed(item.id)
    return reviewView(item)
  })
}

function requirePending(found: ReviewItem | undefined): ReviewItem {
  const item = requireFound(found, 'review item')
  const { state, kind } = item
  if (state !== 'pending')
    throw conflict(`Only a pending item can be changed. This one is ${state}.`, { details: { state, kind } })
  return item
}

const notAskable = ({ state, kind }: ReviewItem) =>
  conflict('Only the requester of a held request can be asked: nothing is sent again for this item.', {
    details: { state, kind },
  })
