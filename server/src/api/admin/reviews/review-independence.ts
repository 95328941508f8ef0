import { findWorkspace } from '../../../domains/identity/workspace-store.ts'
import { findIssuersOfSender } from '../../../domains/messaging/messages/message-store.ts'
import { findIdsOfOperator, findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { couldCauseRequests, hasOperatorIssuedPassword } from '../../../domains/operators/independence-store.ts'
import { shareLockPeople } from '../../../domains/operators/operator-store.ts'
import { lockReview, ownPart } from '../../../domains/review/decision-store.ts'
import type { Approval } from '../../../domains/review/review.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { scopesIn } from '../../../shared/access.ts'
import { causingScope, type Operator } from '../../../shared/operator.ts'
import { forbidden } from '../../../shared/request-errors.ts'
import { lockAccess } from '../kit/change.ts'
import type { Asked } from '../kit/noun.ts'

type Approver = Pick<Operator, 'id' | 'kind' | 'scopes'>

/** Throws a 403 when the operator issued a token of the user who sent the message. `ids`: all ids under which the operator acts. */
export async function refuseTokenIssuer(tx: Tx, item: ReviewItem, ids: readonly string[]): Promise<void> {
  if (await hasIssuedToken(tx, item, ids))
    throw forbidden('You issued a token of the user who sent this message. Another operator must decide on it.')
}

const hasIssuedToken = async (tx: Tx, item: ReviewItem, ids: readonly string[]): Promise<boolean> =>
  (await findIssuersOfSender(tx, item)).some((issuer) => ids.includes(issuer))

/** Throws a 403 if the Workspace requires two-person approval and the operator can have caused the request alone. */
export async function refuseWithoutFourEyes(tx: Tx, item: ReviewItem, approver: Approver): Promise<void> {
  const problem = await findFourEyesProblem(tx, item, approver)
  if (problem !== undefined) throw forbidden(problem)
}

/** Why the operator can have caused the request alone, in a Workspace that requires two-person approval. Undefined if the operator cannot. */
async function findFourEyesProblem(
  tx: Tx,
  { workspaceId }: ReviewItem,
  { id, kind, scopes }: Approver,
): Promise<string | undefined> {
  if (!(await findWorkspace(tx, workspaceId))?.settings.review.four_eyes) return undefined
  if (kind !== 'person')
    return 'This Workspace requires two-person approval: a signed-in operator must approve, not an admin token.'
  const causing = causingScope(scopes)
  if (causing)
    return `This Workspace requires two-person approval: an operator with a second role, such as reviewer, must approve. Your role has ${causing}, which can cause requests.`
  if (await couldCauseRequests(tx, id, workspaceId))
    return 'This Workspace requires two-person approval: you had a role that can cause requests. Another reviewer must approve. You can approve after you set a new password with a link from `gatehouse operator invite` on the server.'
  if (await hasOperatorIssuedPassword(tx, id))
    return 'This Workspace requires two-person approval: another operator issued the link with which your password was chosen. Sign in by single sign-on without a password, or choose one with a link from `gatehouse operator invite` on the server.'
  return undefined
}

/** Locks an item, then its approvers, whose roles stay until `tx` ends. Every change of an item locks in this order: no deadlock. */
export async function lockApprovers(tx: Tx, { workspaceId, operator, params }: Asked, now: Date): Promise<void> {
  const item = await lockReview(tx, workspaceId, params.id, now)
  if (!item || item.approvals.length === 0) return
  const people = new Set<string>()
  for (const id of [operator.id, ...item.approvals.map(({ by }) => by)]) people.add(await findResponsibleOperator(tx, id))
  await shareLockPeople(tx, [...people])
}

/** Without those of operators who lost the role or caused an identical request since, and those of revoked tokens. */
export async function findValidApprovals(tx: Tx, item: ReviewItem): Promise<readonly Approval[]> {
  const valid = []
  for (const approval of item.approvals) if (await mayApprove(tx, item, approval.by)) valid.push(approval)
  return valid
}

async function mayApprove(tx: Tx, item: ReviewItem, id: string): Promise<boolean> {
  const kind = id.startsWith('opr_') ? 'person' : 'token'
  const scopes = scopesIn(await lockAccess(tx, { id, kind }), item.workspaceId)
  if (!scopes.includes('reviews:write')) return false
  const ids = await findIdsOfOperator(tx, id)
  if (ownPart(item, ids) || (await hasIssuedToken(tx, item, ids))) return false
  return (await findFourEyesProblem(tx, item, { id, kind, scopes })) === undefined
}
