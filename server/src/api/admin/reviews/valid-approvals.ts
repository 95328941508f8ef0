import { findIdsOfOperator, findResponsibleOperator } from '../../../domains/operators/admin-token-store.ts'
import { shareLockPeople } from '../../../domains/operators/operator-store.ts'
import { lockReview, ownPart } from '../../../domains/review/decision-store.ts'
import type { Approval } from '../../../domains/review/review.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { scopesIn } from '../../../shared/access.ts'
import { lockAccess } from '../kit/current-scopes.ts'
import { findFourEyesProblem, hasIssuedToken, type IndependenceDeps } from './review-independence.ts'

interface ApproveRequest {
  readonly workspaceId: string
  readonly operator: { readonly id: string }
  readonly params: { readonly id: string }
}

/**
 * Locks an item, then the operators who approve it: their roles stay until `tx` ends. Every change of an item locks in this order, so that
 * two of them and a change of an operator do not deadlock.
 */
export async function lockApprovers(tx: Tx, { workspaceId, operator, params }: ApproveRequest, now: Date): Promise<void> {
  const item = await lockReview(tx, workspaceId, params.id, now)
  if (!item || item.approvals.length === 0) return
  const people = new Set<string>()
  for (const id of [operator.id, ...item.approvals.map(({ by }) => by)]) people.add(await findResponsibleOperator(tx, id))
  await shareLockPeople(tx, [...people])
}

/**
 * The approvals of an item that would be possible now. Left out are those of operators who were removed or suspended, lost the role, or
 * caused an identical request since, and those of revoked tokens.
 */
export async function findValidApprovals(deps: IndependenceDeps, tx: Tx, item: ReviewItem): Promise<readonly Approval[]> {
  const valid = []
  for (const approval of item.approvals) if (await mayApprove(deps, tx, item, approval.by)) valid.push(approval)
  return valid
}

async function mayApprove(deps: IndependenceDeps, tx: Tx, item: ReviewItem, id: string): Promise<boolean> {
  const kind = id.startsWith('opr_') ? 'person' : 'token'
  const scopes = scopesIn(await lockAccess(tx, { id, kind }), item.workspaceId)
  if (!scopes.includes('reviews:write')) return false
  const ids = await findIdsOfOperator(tx, id)
  if (ownPart(item, ids) || (await hasIssuedToken(deps, tx, item, ids))) return false
  return (await findFourEyesProblem(deps, tx, item, { id, kind, scopes })) === undefined
}
