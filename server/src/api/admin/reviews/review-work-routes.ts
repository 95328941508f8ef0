import { Type } from 'typebox'
import { lockReview } from '../../../domains/review/decision-store.ts'
import { type Assignee, assignReview } from '../../../domains/review/review-assignment.ts'
import { getReview } from '../../../domains/review/review-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { Line } from '../../../platform/lib/fields.ts'
import { conflict, invalid, notFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { DecisionBody, ReviewView, reviewView } from './review-shapes.ts'
import { findAssignee } from './reviewer.ts'
import { decide } from './reviews-routes.ts'

const MAX_BULK = 100

const docs = {
  assign: inWorkspace(
    'POST /reviews/:id/assign',
    'assignReview',
    'Assign a pending review item to an operator, or remove the assignee',
    {
      scope: 'reviews:write',
      description:
        'An assignment is no lock: other reviewers can still decide. While the operator is away, the item is assigned to the delegate. Returns the item with its actual assignee, and names the absent operator in `assigned_for`.',
      body: Type.Object({ operator_id: nullable({ ...Line, maxLength: 64, description: '`opr_…`. null: none.' }) }),
      answers: { 200: ReviewView },
      errors: { 404: 'NOT_FOUND: the item, or the Workspace', 409: 'CONFLICT: the item is no longer pending' },
    },
  ),
  acknowledge: inWorkspace(
    'POST /reviews/acknowledge',
    'acknowledgeReviews',
    'Acknowledge several escalations with one comment',
    {
      scope: 'reviews:write',
      description:
        'Each escalation is acknowledged and recorded by itself, and the result of each is in `results`, in the order of `ids`. Holds cannot be decided together: their result is an error.',
      body: Type.Object({
        ids: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: MAX_BULK, uniqueItems: true }),
        ...DecisionBody.properties,
      }),
      answers: {
        200: Type.Object({
          results: Type.Array(
            Type.Object({
              id: Type.String(),
              acknowledged: Type.Boolean(),
              error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
            }),
          ),
        }),
      },
    },
  ),
}

export function reviewWorkRoutes(app: TypedApp, deps: AdminDeps): void {
  const { waiters } = deps

  handle(app, docs.assign, async ({ workspaceId, operator, params, body, log }) => {
    const lock = (tx: Tx) => lockReview(tx, workspaceId, params.id, deps.clock.now())
    const assigned = async (tx: Tx, now: Date) => {
      const assignee = body.operator_id === null ? null : await requireAssignee(tx, workspaceId, body.operator_id, now)
      const value = await assignReview(tx, workspaceId, params.id, { assignee, now })
      if (!value) throw await unassignable(tx, workspaceId, params.id, now)
      return { value, action: 'review.assign' as const, id: value.id, fields: ['assigned_to'] }
    }
    const item = await change(deps, { workspaceId, operator, log }, assigned, lock)
    await waiters.changed(item.id)
    return reviewView(item)
  })

  handle(app, docs.acknowledge, async ({ workspaceId, operator, body, log }) => {
    const acknowledgeOne = async (id: string) => {
      const acknowledged = async (tx: Tx, now: Date) => {
        const value = await decide(tx, 'acknowledge', { workspaceId, operator }, id, { comment: body.comment ?? null, now })
        const fields = ['state', ...(body.comment ? ['comment'] : [])]
        return { value, action: 'review.acknowledge' as const, id: value.id, fields }
      }
      await change(deps, { workspaceId, operator, log }, acknowledged, (tx) => lockReview(tx, workspaceId, id, deps.clock.now()))
      await waiters.changed(id)
    }
    const results = []
    for (const id of body.ids) {
      const error = await acknowledgeOne(id).then(() => null, asRefusal)
      results.push({ id, acknowledged: error === null, error })
    }
    return { results }
  })

  async function requireAssignee(tx: Tx, workspaceId: string, id: string, now: Date): Promise<Assignee> {
    const assignee = await findAssignee(tx, workspaceId, id, now)
    if (assignee === undefined) throw invalid({ param: 'operator_id', message: 'must be an operator who can decide on reviews' })
    return assignee
  }

  async function unassignable(tx: Tx, workspaceId: string, id: string, now: Date): Promise<GatehouseError> {
    const item = await getReview(tx, workspaceId, id, now)
    if (!item) return notFound('review item')
    const { state, kind } = item
    return conflict(`Only pending items can be assigned. This one is ${state}.`, { details: { state, kind } })
  }
}

/** A refusal is the item's result; a fault ends the request. */
function asRefusal(cause: unknown): { code: string; message: string } {
  if (cause instanceof GatehouseError && cause.code !== 'UNAVAILABLE') return { code: cause.code, message: cause.message }
  throw cause
}
