import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { prepareRelease, settleHeldMessage } from '../../../domains/messaging/messages/release-held.ts'
import { representedBy } from '../../../domains/operators/absence-store.ts'
import { findIdsOfOperator, findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { compileTextMatches } from '../../../domains/policy/condition/text-matches.ts'
import { parsePolicySet } from '../../../domains/policy/parse.ts'
import { findPolicySet } from '../../../domains/policy/policy-store.ts'
import { acknowledgeEscalation, type DecisionResult, decideHold } from '../../../domains/review/decision-store.ts'
import { REVIEW_STATES } from '../../../domains/review/review.ts'
import { listReviews } from '../../../domains/review/review-list.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import { getReview, readReviewContent } from '../../../domains/review/review-store.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { accepted, conflict, forbidden, notFound, requireFound } from '../../../shared/request-errors.ts'
import { bodyOptional } from '../../kit/bodies.ts'
import { applicationIn, List, listById, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { findValidApprovals, lockApprovers, refuseTokenIssuer, refuseWithoutFourEyes } from './review-independence.ts'
import {
  DecisionBody,
  findMarks,
  REVIEW_KINDS,
  ReviewView,
  ReviewWithContentView,
  type RuleMatches,
  reviewView,
} from './review-shapes.ts'
import { findReviewingDelegates } from './reviewer.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the item, or the Workspace' }

type Decision = Parameters<typeof acknowledgeEscalation>[3]
type Decide = (tx: Tx, workspaceId: string, id: string, decision: Decision) => Promise<DecisionResult>

const DECISIONS: Readonly<Record<'approve' | 'deny' | 'acknowledge', readonly [summary: string, decide: Decide]>> = {
  approve: [
    'Approve a hold. The request can be sent again and passes; a message is stored immediately',
    (tx, workspaceId, id, decision) => {
      const validApprovals = (item: ReviewItem) => findValidApprovals(tx, item)
      return decideHold(tx, workspaceId, id, { ...decision, verdict: 'approved', validApprovals })
    },
  ],
  deny: [
    'Deny a hold and erase its content',
    (tx, workspaceId, id, decision) => decideHold(tx, workspaceId, id, { ...decision, verdict: 'denied' }),
  ],
  acknowledge: ['Acknowledge an escalation', acknowledgeEscalation],
}
const VERBS = Object.keys(DECISIONS) as (keyof typeof DECISIONS)[]

const decisionOperation = (verb: keyof typeof DECISIONS) =>
  inWorkspace(`POST /reviews/:id/${verb}`, `${verb}Review`, DECISIONS[verb][0], {
    scope: 'reviews:write',
    description:
      'Operators cannot decide on their own requests, on requests with an API key that they issued, or on those of a user whose token they issued; their admin tokens cannot either. With the Workspace setting `review.four_eyes`, the approver must be a signed-in operator whose role cannot cause requests and whose password no other operator can know. The first decision is final; a hold that requires several approvals stays pending until the last one. Returns the item in its new state. The body is optional.',
    body: DecisionBody,
    answers: { 200: ReviewView },
    errors: {
      ...UNKNOWN,
      403: 'FORBIDDEN: your own request, a request with a key or token that you issued, two-person approval required, or the scope in `x-gatehouse-scope` is missing',
      409: 'CONFLICT: already decided, expired, or of the other kind; see `details.state`',
    },
  })

const docs = {
  list: inWorkspace(
    'GET /reviews',
    'listReviews',
    'List review items: pending items that expire next first, others newest first',
    {
      scope: 'reviews:read',
      query: {
        ...PAGE,
        id: Type.Optional(
          Type.String({
            maxLength: 64,
            description: 'Only this item, to follow its state: reading the content of an item is recorded.',
          }),
        ),
        state: Type.Optional(oneOf(REVIEW_STATES, 'ReviewState')),
        kind: Type.Optional(oneOf(REVIEW_KINDS, 'ReviewKind')),
        application_id: Type.Optional(Type.String()),
        rule: Type.Optional(Type.String({ maxLength: 200, description: 'Id of a rule that demanded the review.' })),
        user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        assigned_to: Type.Optional(
          Type.String({
            maxLength: 64,
            description: 'An operator, `me` (also items of operators whose delegate you are), or `none`.',
          }),
        ),
      },
      answers: { 200: List(ReviewView) },
    },
  ),
  get: inWorkspace('GET /reviews/:id', 'getReview', 'Get a review item and its content', {
    scope: 'reviews:content',
    description: 'Reading the content is recorded in the audit log.',
    answers: { 200: ReviewWithContentView },
    errors: UNKNOWN,
  }),
}

export function reviewsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, clock, waiters } = deps

  handle(app, docs.list, async ({ workspaceId, query, operator }) => {
    const { id, state, kind, rule, user_id: userId } = query
    const filter = {
      ...pageOf(query),
      ...{ id, state, kind, rule, userId },
      applicationId: applicationIn(query),
      now: clock.now(),
      assignedTo: await assigneesIn(db, workspaceId, query.assigned_to, operator.id, clock.now()),
    }
    return listById(await listReviews(db, workspaceId, filter), reviewView)
  })

  handle(app, docs.get, async (request) => {
    const item = requireFound(await getReview(db, request.workspaceId, request.params.id, clock.now()), 'review item')
    return { ...reviewView(item), ...(await readContent(request, item, deps)) }
  })

  for (const verb of VERBS) {
    handle(app, { ...decisionOperation(verb), preValidation: bodyOptional }, async (request) => {
      const { workspaceId, params, body } = request
      const release = verb === 'approve' ? await prepareRelease(deps, workspaceId, params.id, clock.now()) : undefined
      const work = async (tx: Tx, now: Date) => {
        const item = await decide(tx, verb, request, params.id, { comment: body.comment ?? null, now })
        // One of several approvals leaves the item pending.
        const isFinal = item.state !== 'pending'
        const value = isFinal ? accepted(await settleHeldMessage(tx, item, release, now)) : item
        const fields = [isFinal ? 'state' : 'approvals', ...(body.comment ? ['comment'] : [])]
        return { value, action: `review.${verb}` as const, id: value.id, fields }
      }
      const item = await change(deps, request, work, (tx) => lockApprovers(tx, request, clock.now()))
      await waiters.changed(item.id)
      return reviewView(item)
    })
  }
}

async function assigneesIn(
  db: Db,
  workspaceId: string,
  filter: string | undefined,
  self: string,
  now: Date,
): Promise<readonly string[] | undefined> {
  if (filter === undefined) return undefined
  if (filter === 'none') return []
  if (filter !== 'me') return [filter]
  const person = await findResponsibleOperator(db, self)
  return [person, ...representedBy(person, await findReviewingDelegates(db, workspaceId, now))]
}

/** Decides on an item for the signed-in operator, whose tokens count as the same person. Throws to refuse. */
export async function decide(
  tx: Tx,
  verb: keyof typeof DECISIONS,
  { workspaceId, operator }: Pick<FastifyRequest, 'workspaceId' | 'operator'>,
  id: string,
  { comment, now }: Pick<Decision, 'comment' | 'now'>,
): Promise<ReviewItem> {
  const otherIds = await findIdsOfOperator(tx, operator.id)
  const current = await getReview(tx, workspaceId, id, now)
  if (current) await refuseTokenIssuer(tx, current, [operator.id, ...otherIds])
  if (current && verb === 'approve') await refuseWithoutFourEyes(tx, current, operator)
  const [, write] = DECISIONS[verb]
  return decidedItem(await write(tx, workspaceId, id, { by: operator.id, otherIds, comment, now }))
}

function decidedItem(result: DecisionResult): ReviewItem {
  switch (result.kind) {
    case 'decided':
      return result.item
    case 'not_found':
      throw notFound('review item')
    case 'own_request':
      throw forbidden('You cannot decide on your own request.')
    case 'own_key':
      throw forbidden('You issued the API key of this request. Another operator must decide on it.')
    case 'approved_before':
      throw forbidden('You have approved this hold already. Another operator must give the next approval.')
    case 'conflict': {
      const { kind, state } = result.item
      const message = `This decision is not possible: the review item is a ${kind} in the state ${state}.`
      throw conflict(message, { details: { state, kind } })
    }
  }
}

/** Content is returned only after the access is recorded. The originals of placeholders stay sealed. */
async function readContent(request: FastifyRequest, item: ReviewItem, deps: AdminDeps) {
  const { db, clock, reviewBox, scanTexts } = deps
  const { id } = item
  const held = await readReviewContent(db, request.workspaceId, id, clock.now(), reviewBox)
  if (!held) return { content: null, expected_cost: null, marks: [] }
  const { messages, parameters, completion, sentCharacters, expectedCost = null } = held
  const marks = findMarks(held, (texts) => scanTexts(texts).findings, await findRuleMatches(db, item))
  const value = {
    content: { messages, parameters, completion, sent_characters: sentCharacters },
    expected_cost: expectedCost,
    marks,
  }
  return change(deps, request, async () => ({ value, action: 'review.read', id, fields: ['content'] }))
}

/** The searches of the rules that demanded the review, in the policy version that decided. */
async function findRuleMatches(db: Db, { workspaceId, policy, rules }: ReviewItem): Promise<readonly RuleMatches[]> {
  const version = policy && (await findPolicySet(db, workspaceId, policy.id))
  const parsed = version && parsePolicySet(version.source)
  if (!parsed?.ok) return []
  const ids = rules.map(({ id }) => id)
  return parsed.set.rules
    .filter(({ id }) => ids.includes(id))
    .map(({ id, when }) => ({ rule: id, find: compileTextMatches(when) }))
}
