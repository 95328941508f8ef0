import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { idsInOneHand } from '../applications/admin-token-store.ts'
import { oneOf } from '../applications/shapes.ts'
import { GatehouseError } from '../errors.ts'
import { prepareRelease, settleHeldMessage } from '../messaging/messages/release-held.ts'
import { acknowledgeEscalation, type Decided, decide } from '../review/decision-store.ts'
import { REVIEW_STATES, type ReviewItem } from '../review/review.ts'
import { reviewJson } from '../review/review-json.ts'
import { listReviews } from '../review/review-list.ts'
import { getReview, reviewContent } from '../review/review-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { bodyOptional } from './bodies.ts'
import { change } from './change.ts'
import { inWorkspace } from './operation.ts'
import { applicationIn, listOf, PAGE, pageOf } from './paging.ts'
import { notFound } from './refusals.ts'
import { refuseTokenIssuer, refuseWithoutFourEyes } from './review-independence.ts'
import { marksOf } from './review-marks.ts'
import { Judgement, REVIEW_KINDS, ReviewView, ReviewWithContentView } from './review-shapes.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the item, or the Workspace' }

const judging = (operationId: string, summary: string) =>
  inWorkspace(operationId, summary, {
    scope: 'reviews:write',
    description:
      'Nobody decides on what they have asked themselves, on what was asked with an API key or by a user whose token they issued, nor by way of an admin token of theirs. Where `settings.review.four_eyes` of the Workspace is on, only a signed-in operator approves whose role cannot cause requests and whose password no other operator may know. The first decision stands; answers the item in its new state. Without a comment no body is needed.',
    query: {},
    params: pathOf('id'),
    body: Judgement,
    answers: { 200: ReviewView },
    errors: {
      ...UNKNOWN,
      403: 'FORBIDDEN: your own request, one that a key or token of yours made possible, without the four eyes that the Workspace demands, or without the scope that `x-gatehouse-scope` names',
      409: 'CONFLICT: decided before, expired, or of the other kind; its state is in `details.state`',
    },
  })

const docs = {
  list: inWorkspace('listReviews', 'Review items: those pending oldest first, others newest first', {
    scope: 'reviews:read',
    query: {
      ...PAGE,
      state: Type.Optional(oneOf(REVIEW_STATES)),
      kind: Type.Optional(oneOf(REVIEW_KINDS)),
      application_id: Type.Optional(Type.String()),
    },
    answers: { 200: List(ReviewView) },
  }),
  get: inWorkspace('getReview', 'One review item, with what it is about', {
    scope: 'reviews:content',
    description: 'That somebody has read the content is recorded.',
    query: {},
    params: pathOf('id'),
    answers: { 200: ReviewWithContentView },
    errors: UNKNOWN,
  }),
  approve: judging(
    'approveReview',
    'Approve a hold: its request may be sent again and goes through; a message is stored at once',
  ),
  deny: judging('denyReview', 'Deny a hold, and erase its content'),
  acknowledge: judging('acknowledgeReview', 'Take an escalation off the queue'),
}

/** How each of the three ways to end an item's waiting is called, done and recorded. */
const JUDGEMENTS = [
  {
    verb: 'approve',
    settle: (...[tx, owner, id, judgement]: Parameters<typeof acknowledgeEscalation>) =>
      decide(tx, owner, id, { ...judgement, verdict: 'approved' }),
  },
  {
    verb: 'deny',
    settle: (...[tx, owner, id, judgement]: Parameters<typeof acknowledgeEscalation>) =>
      decide(tx, owner, id, { ...judgement, verdict: 'denied' }),
  },
  { verb: 'acknowledge', settle: acknowledgeEscalation },
] as const

export function reviewsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, clock, waiters } = deps

  app.get('/reviews', { schema: docs.list }, async ({ workspaceId, query }) => {
    const { limit, after: cursor } = pageOf(query)
    const { state, kind } = query
    const filter = { state, kind, applicationId: applicationIn(query), cursor, limit, now: clock.now() }
    const page = await listReviews(db, workspaceId, filter)
    return listOf(page && { data: page.items, hasMore: page.nextCursor !== null }, reviewJson, ({ id }) => id)
  })

  app.get('/reviews/:id', { schema: docs.get }, async (request) => {
    const item = await getReview(db, request.workspaceId, request.params.id, clock.now())
    if (!item) throw notFound('review item')
    return { ...reviewJson(item), ...(await readContent(request, item, deps)) }
  })

  for (const { verb, settle } of JUDGEMENTS) {
    const path = `/reviews/:id/${verb}` as const
    app.post(path, { schema: docs[verb], preValidation: bodyOptional }, async (request) => {
      const { workspaceId, operator, params, body } = request
      const release = verb === 'approve' ? await prepareRelease(deps, workspaceId, params.id, clock.now()) : undefined
      const item = await change(deps, request, async (tx, now) => {
        const alsoAs = await idsInOneHand(tx, operator.id)
        const asked = await getReview(tx, workspaceId, params.id, now)
        if (asked) await refuseTokenIssuer(tx, asked, [operator.id, ...alsoAs])
        if (asked && verb === 'approve') await refuseWithoutFourEyes(tx, asked, operator)
        const judgement = { by: operator.id, alsoAs, comment: body.comment ?? null, now }
        const item = decided(await settle(tx, workspaceId, params.id, judgement))
        const value = await settleHeldMessage(tx, item, release, now)
        return { value, action: `review.${verb}`, id: value.id, fields: ['state', ...(body.comment ? ['comment'] : [])] }
      })
      await waiters.changed(item.id)
      return reviewJson(item)
    })
  }
}

function decided(result: Decided): ReviewItem {
  switch (result.kind) {
    case 'decided':
      return result.item
    case 'not_found':
      throw notFound('review item')
    case 'own_request':
      throw new GatehouseError('FORBIDDEN', { message: 'Nobody decides on a request of their own.' })
    case 'own_key':
      throw new GatehouseError('FORBIDDEN', {
        message: 'You issued the API key that this was asked with: another operator has to decide on it.',
      })
    case 'conflict':
      throw new GatehouseError('CONFLICT', {
        message: `This is no longer, or never was, to be decided so: a ${result.item.kind} that is ${result.item.state}.`,
        details: { state: result.item.state, kind: result.item.kind },
      })
  }
}

/** Nobody sees content before it is on record that they do. What else a release needs (originals of placeholders) stays sealed. */
async function readContent(request: FastifyRequest, { id }: ReviewItem, deps: AdminDeps) {
  const { db, clock, reviewBox, detectors, detectorBudgetMs: budgetMs } = deps
  const held = await reviewContent(db, request.workspaceId, id, clock.now(), reviewBox)
  if (!held) return { content: null, marks: [] }
  const { messages, parameters, completion } = held
  const value = { content: { messages, parameters, completion }, marks: marksOf(held, { detectors, budgetMs }) }
  return change(deps, request, async () => ({ value, action: 'review.read', id, fields: ['content'] }))
}
