import { Type } from 'typebox'
import { findWorkspace } from '../../../domains/identity/workspace-store.ts'
import {
  type Absence,
  listAbsences,
  removeAbsence,
  representativeOf,
  setAbsence,
} from '../../../domains/operators/absence-store.ts'
import { listPeople } from '../../../domains/operators/operator-store.ts'
import { readPendingLevels, readServiceLevels } from '../../../domains/review/service-levels.ts'
import type { Db } from '../../../platform/db/database.ts'
import { Timestamp } from '../../../platform/lib/fields.ts'
import { forbidden, invalid, notFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { findReviewingDelegates, isReviewer } from './reviewer.ts'

const DAY_MS = 86_400_000
const MAX_RANGE_DAYS = 92
const MAX_ABSENCE_DAYS = 366
const MAX_REVIEWERS = 500

const AbsenceView = Type.Object(
  {
    starts_at: Timestamp,
    ends_at: Timestamp,
    delegate_id: nullable(Type.String({ maxLength: 64, description: 'The reviewer who gets the assignments. null: none.' })),
  },
  { title: 'Absence' },
)

const ReviewerView = Type.Object({
  id: Type.String(),
  object: Type.Literal('reviewer'),
  name: Type.String(),
  absence: nullable(AbsenceView),
  representative_id: nullable(
    Type.String({ description: 'The reviewer who gets the assignments now, because this one is away. null: none.' }),
  ),
})

const seconds = (description: string) => nullable(Type.Number({ description }))
const times = {
  decided: Type.Integer(),
  median_seconds: seconds('Median time to the decision. null: no decision.'),
  p90_seconds: seconds('90 % of the decisions took at most this time.'),
}

const StatisticsView = Type.Object({
  object: Type.Literal('review_statistics'),
  from: Timestamp,
  to: Timestamp,
  target_minutes: nullable(Type.Integer({ description: 'Workspace setting `review.target_minutes`.' })),
  reasons: Type.Array(Type.String(), { description: 'Workspace setting `review.reasons`.' }),
  pending: Type.Object({ count: Type.Integer(), oldest: nullable(Timestamp), overdue: Type.Integer() }),
  created: Type.Integer(),
  expired: Type.Integer({ description: 'Items that expired without a decision.' }),
  ...times,
  reviewers: Type.Array(Type.Object({ reviewer_id: Type.String(), ...times })),
  applications: Type.Array(Type.Object({ application_id: nullable(Type.String()), ...times })),
})

const docs = {
  reviewers: inWorkspace('GET /reviewers', 'listReviewers', 'List the operators who can decide on reviews, with their absences', {
    scope: 'reviews:write',
    answers: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(ReviewerView) }) },
  }),
  setAbsence: inWorkspace(
    'PUT /reviewers/me/absence',
    'setAbsence',
    'Set your absence: assignments go to your delegate during this time',
    { scope: 'reviews:write', body: AbsenceView, answers: { 204: null } },
  ),
  removeAbsence: inWorkspace('DELETE /reviewers/me/absence', 'removeAbsence', 'End your absence', {
    scope: 'reviews:write',
    answers: { 204: null },
    errors: { 404: 'NOT_FOUND: you have no absence' },
  }),
  statistics: inWorkspace('GET /reviews/statistics', 'getReviewStatistics', 'Get service levels of reviews', {
    scope: 'reviews:read',
    description: 'Times of the items that were created in the range, by default the last 7 days, at most 92 days.',
    query: { from: Type.Optional(Timestamp), to: Type.Optional(Timestamp) },
    answers: { 200: StatisticsView },
  }),
}

export function reviewersRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, clock } = deps

  handle(app, docs.reviewers, async ({ workspaceId }) => ({
    object: 'list' as const,
    data: await readReviewers(db, workspaceId, clock.now()),
  }))

  handle(app, docs.setAbsence, async (request, reply) => {
    const { operator, body } = request
    if (operator.kind !== 'person') throw forbidden('Only a signed-in operator can be absent, not an admin token.')
    const absence = absenceIn(operator.id, body)
    await change(deps, request, async (tx, now) => {
      const reviewers = await readReviewers(tx, request.workspaceId, now)
      if (absence.delegateId !== null && !reviewers.some(({ id }) => id === absence.delegateId))
        throw invalid({ param: 'delegate_id', message: 'must be another operator who can decide on reviews' })
      await setAbsence(tx, absence)
      return { value: undefined, action: 'operator.set_absence', id: operator.id, fields: Object.keys(body) }
    })
    return reply.status(204).send()
  })

  handle(app, docs.removeAbsence, async (request, reply) => {
    const { id } = request.operator
    await change(deps, request, async (tx) => {
      if (!(await removeAbsence(tx, id))) throw notFound('absence')
      return { value: undefined, action: 'operator.end_absence', id }
    })
    return reply.status(204).send()
  })

  handle(app, docs.statistics, async ({ workspaceId, query }) => {
    const now = clock.now()
    const range = rangeIn(query, now)
    const { target_minutes: target = null, reasons = [] } = (await findWorkspace(db, workspaceId))?.settings.review ?? {}
    const overdueBefore = target === null ? undefined : new Date(now.getTime() - target * 60_000)
    const pending = await readPendingLevels(db, workspaceId, { now, overdueBefore })
    const levels = await readServiceLevels(db, workspaceId, range, now)
    return {
      object: 'review_statistics' as const,
      from: range.from.toISOString(),
      to: range.to.toISOString(),
      target_minutes: target,
      reasons: [...reasons],
      pending: { ...pending, oldest: pending.oldest?.toISOString() ?? null },
      created: levels.created,
      expired: levels.expired,
      ...timesView(levels),
      reviewers: levels.reviewers.map((row) => ({ reviewer_id: row.reviewerId, ...timesView(row) })),
      applications: levels.applications.map((row) => ({ application_id: row.applicationId, ...timesView(row) })),
    }
  })
}

const timesView = ({ decided, median, p90 }: { decided: number; median: number | null; p90: number | null }) => ({
  decided,
  median_seconds: median,
  p90_seconds: p90,
})

async function readReviewers(db: Db, workspaceId: string, now: Date) {
  const absences = new Map((await listAbsences(db, now)).map((absence) => [absence.operatorId, absence]))
  const delegates = await findReviewingDelegates(db, workspaceId, now)
  const { data } = await listPeople(db, { limit: MAX_REVIEWERS }, workspaceId)
  const reviewers = data.filter((person) => isReviewer(person, workspaceId))
  const ids = new Set(reviewers.map(({ id }) => id))
  return reviewers.map(({ id, name }) => {
    const representative = representativeOf(id, delegates)
    return {
      ...{ id, object: 'reviewer' as const, name, absence: absenceView(absences.get(id), ids) },
      representative_id: representative === id ? null : representative,
    }
  })
}

/** A delegate who is no reviewer of the Workspace gets no assignments in it, and may be unknown in it. */
const absenceView = (absence: Absence | undefined, reviewers: ReadonlySet<string>) =>
  absence
    ? {
        starts_at: absence.startsAt.toISOString(),
        ends_at: absence.endsAt.toISOString(),
        delegate_id: absence.delegateId !== null && reviewers.has(absence.delegateId) ? absence.delegateId : null,
      }
    : null

/** Throws a 400 for times in the wrong order and for oneself as the delegate. */
function absenceIn(operatorId: string, body: { starts_at: string; ends_at: string; delegate_id: string | null }): Absence {
  const [startsAt, endsAt] = [new Date(body.starts_at), new Date(body.ends_at)]
  const days = (endsAt.getTime() - startsAt.getTime()) / DAY_MS
  if (!(days > 0 && days <= MAX_ABSENCE_DAYS))
    throw invalid({ param: 'ends_at', message: `must be after starts_at, by at most ${MAX_ABSENCE_DAYS} days` })
  if (body.delegate_id === operatorId) throw invalid({ param: 'delegate_id', message: 'must be another operator' })
  return { operatorId, delegateId: body.delegate_id, startsAt, endsAt }
}

function rangeIn({ from, to }: { from?: string; to?: string }, now: Date) {
  const end = to === undefined ? now : new Date(to)
  const start = from === undefined ? new Date(end.getTime() - 7 * DAY_MS) : new Date(from)
  const days = (end.getTime() - start.getTime()) / DAY_MS
  if (!(days > 0 && days <= MAX_RANGE_DAYS))
    throw invalid({ param: 'from', message: `must be before \`to\`, by at most ${MAX_RANGE_DAYS} days` })
  return { from: start, to: end }
}
