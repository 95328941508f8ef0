import { findWorkspace } from '../applications/workspace-store.ts'
import type { Tx } from '../db/database.ts'
import type { Operator } from '../domain/operator.ts'
import { causingScope } from '../domain/roles.ts'
import { GatehouseError } from '../errors.ts'
import { sentAt } from '../messaging/messages/message-store.ts'
import { issuersOfTokens } from '../messaging/people/access-token-store.ts'
import { couldCauseRequests, hasPasswordOfOperator } from '../operators/operator-store.ts'
import type { ReviewItem } from '../review/review.ts'

/** Throws a 403 when the operator issued a token of the user who sent the message. `ids`: all under which the operator acts. */
export async function refuseTokenIssuer(tx: Tx, item: ReviewItem, ids: readonly string[]): Promise<void> {
  if (item.messageId === null) return
  // An assistant answers after its message was sent: a token that was revoked between counts.
  const sent = (await sentAt(tx, item.workspaceId, item.messageId)) ?? item.createdAt
  const from = new Date(Math.min(sent.getTime(), item.createdAt.getTime()))
  const issuers = await issuersOfTokens(tx, item.workspaceId, item.userId, { from, to: item.createdAt })
  if (issuers.some((issuer) => ids.includes(issuer)))
    throw forbidden('You issued a token of the user who sent this: another operator has to decide on it.')
}

/** Where the Workspace requires four eyes: throws a 403 unless the operator could not have caused the request alone. */
export async function refuseWithoutFourEyes(tx: Tx, { workspaceId }: ReviewItem, operator: Operator): Promise<void> {
  const workspace = await findWorkspace(tx, workspaceId)
  if (!workspace?.settings.review.four_eyes) return
  if (operator.kind !== 'person')
    throw forbidden('This Workspace requires four eyes: an operator who is signed in has to approve, not an admin token.')
  const causing = causingScope(operator.scopes)
  if (causing)
    throw forbidden(
      `This Workspace requires four eyes: an operator of a second role, such as reviewer, has to approve. Yours has ${causing}, with which requests can be caused.`,
    )
  if (await couldCauseRequests(tx, operator.id))
    throw forbidden(
      'This Workspace requires four eyes: you had a role that can cause requests. Another reviewer has to approve. You can approve after you set a new password with a link from `gatehouse operator invite` on the server.',
    )
  if (await hasPasswordOfOperator(tx, operator.id))
    throw forbidden(
      'This Workspace requires four eyes: another operator issued the link with which your password was chosen. Sign in by single sign-on without a password, or choose one with a link from `gatehouse operator invite` on the server.',
    )
}

const forbidden = (message: string): GatehouseError => new GatehouseError('FORBIDDEN', { message })
