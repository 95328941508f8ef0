import { couldCauseRequests, hasOperatorIssuedPassword } from '../../../domains/operators/independence-store.ts'
import type { ReviewItem } from '../../../domains/review/review-row.ts'
import type { Tx } from '../../../platform/db/database.ts'
import type { Operator } from '../../../shared/operator.ts'
import { causingScope } from '../../../shared/operator.ts'
import { forbidden } from '../../../shared/request-errors.ts'

export interface IndependenceDeps {
  /** The operators who issued a user token with which the item's message may have been sent. */
  readonly findTokenIssuers: (tx: Tx, item: ReviewItem) => Promise<readonly string[]>
  /** `settings.review.four_eyes` of the Workspace. */
  readonly requiresFourEyes: (tx: Tx, workspaceId: string) => Promise<boolean>
}

/** An operator or admin token. `scopes`: in the Workspace of the item. */
export type Approver = Pick<Operator, 'id' | 'kind' | 'scopes'>

/** Throws a 403 when the operator issued a token of the user who sent the message. `ids`: all ids under which the operator acts. */
export async function refuseTokenIssuer(deps: IndependenceDeps, tx: Tx, item: ReviewItem, ids: readonly string[]): Promise<void> {
  if (await hasIssuedToken(deps, tx, item, ids))
    throw forbidden('You issued a token of the user who sent this message. Another operator must decide on it.')
}

/** Whether the operator issued a token of the user who sent the message. `ids`: all ids under which the operator acts. */
export async function hasIssuedToken(
  { findTokenIssuers }: IndependenceDeps,
  tx: Tx,
  item: ReviewItem,
  ids: readonly string[],
): Promise<boolean> {
  return (await findTokenIssuers(tx, item)).some((issuer) => ids.includes(issuer))
}

/** Throws a 403 if the Workspace requires two-person approval and the operator can have caused the request alone. */
export async function refuseWithoutFourEyes(deps: IndependenceDeps, tx: Tx, item: ReviewItem, approver: Approver): Promise<void> {
  const problem = await findFourEyesProblem(deps, tx, item, approver)
  if (problem !== undefined) throw forbidden(problem)
}

/** Why the operator can have caused the request alone, in a Workspace that requires two-person approval. Undefined if the operator cannot. */
export async function findFourEyesProblem(
  { requiresFourEyes }: IndependenceDeps,
  tx: Tx,
  { workspaceId }: ReviewItem,
  { id, kind, scopes }: Approver,
): Promise<string | undefined> {
  if (!(await requiresFourEyes(tx, workspaceId))) return undefined
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
