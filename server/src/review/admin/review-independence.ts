import type { Tx } from '../../db/database.ts'
import type { Operator } from '../../domain/operator.ts'
import { causingScope } from '../../domain/roles.ts'
import { forbidden } from '../../http/refusals.ts'
import { couldCauseRequests, hasOperatorIssuedPassword } from '../../operators/independence-store.ts'
import type { ReviewItem } from '../review.ts'

export interface IndependenceDeps {
  /** The operators who issued a user token with which the item's message may have been sent. */
  readonly findTokenIssuers: (tx: Tx, item: ReviewItem) => Promise<readonly string[]>
  /** `settings.review.four_eyes` of the Workspace. */
  readonly requiresFourEyes: (tx: Tx, workspaceId: string) => Promise<boolean>
}

/** Throws a 403 when the operator issued a token of the user who sent the message. `ids`: all ids under which the operator acts. */
export async function refuseTokenIssuer(
  { findTokenIssuers }: IndependenceDeps,
  tx: Tx,
  item: ReviewItem,
  ids: readonly string[],
): Promise<void> {
  const issuers = await findTokenIssuers(tx, item)
  if (issuers.some((issuer) => ids.includes(issuer)))
    throw forbidden('You issued a token of the user who sent this message. Another operator must decide on it.')
}

/** In a Workspace that requires four eyes: throws a 403 if the operator can have caused the request alone. */
export async function refuseWithoutFourEyes(
  { requiresFourEyes }: IndependenceDeps,
  tx: Tx,
  { workspaceId }: ReviewItem,
  operator: Operator,
): Promise<void> {
  if (!(await requiresFourEyes(tx, workspaceId))) return
  if (operator.kind !== 'person')
    throw forbidden('This Workspace requires four eyes: a signed-in operator must approve, not an admin token.')
  const causing = causingScope(operator.scopes)
  if (causing)
    throw forbidden(
      `This Workspace requires four eyes: an operator with a second role, such as reviewer, must approve. Your role has ${causing}, which can cause requests.`,
    )
  if (await couldCauseRequests(tx, operator.id, workspaceId))
    throw forbidden(
      'This Workspace requires four eyes: you had a role that can cause requests. Another reviewer must approve. You can approve after you set a new password with a link from `gatehouse operator invite` on the server.',
    )
  if (await hasOperatorIssuedPassword(tx, operator.id))
    throw forbidden(
      'This Workspace requires four eyes: another operator issued the link with which your password was chosen. Sign in by single sign-on without a password, or choose one with a link from `gatehouse operator invite` on the server.',
    )
}
