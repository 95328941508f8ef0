import { hash, randomBytes } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

const VALID_DAYS = 7
const TOKEN_BYTES = 32

/** Who accepts the invitation: somebody who has been invited, or (null) whoever comes first, as an owner. */
export interface Invitation {
  readonly operatorId: string | null
  /** The operator who answers for it, or {@link SERVER}; null: unknown. */
  readonly issuedBy: string | null
}

/** Whether an operator has a way to sign in. */
export const hasAccount = (eb: ExpressionBuilder<Schema, 'operator'>) =>
  eb.exists(eb.selectFrom('operator_account').select('id').whereRef('operator_account.operator_id', '=', 'operator.id'))

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

export const newInvitationToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

/** The link that opens an invitation. `base`: where browsers find this server. */
export const invitationUrl = (base: string, token: string): string => `${base}/dashboard/welcome?token=${token}`

/** As an issuer: the server itself, on its command line or at its first start. */
export const SERVER = 'server'

/**
 * A new invitation in the place of an older one. `token` goes into a link and is kept nowhere; it opens once. That of the first
 * owner does not grow old: it lies in a file that only the server's own user reads. `issuer`: the id of the operator who answers
 * for it; it ends with them.
 */
export async function putInvitation(tx: Tx, operatorId: string | null, token: string, now: Date, issuer = SERVER): Promise<void> {
  const expires = new Date(now)
  expires.setUTCDate(now.getUTCDate() + VALID_DAYS)
  await tx
    .deleteFrom('operator_invitation')
    .where('operator_id', operatorId === null ? 'is' : '=', operatorId)
    .execute()
  await tx
    .insertInto('operator_invitation')
    .values({
      hash: hashOf(token),
      operator_id: operatorId,
      issued_by: issuer,
      expires_at: operatorId === null ? null : expires,
      created_at: now,
    })
    .execute()
  if (operatorId !== null) await tx.updateTable('operator').set({ invited_by: issuer }).where('id', '=', operatorId).execute()
}

/** Withdraws what an operator has issued: their links open nothing, and people who have not come yet are invited no more. */
export async function withdrawInvitationsOf(tx: Tx, issuer: string): Promise<void> {
  await tx.deleteFrom('operator_invitation').where('issued_by', '=', issuer).execute()
  await tx
    .deleteFrom('operator')
    .where('invited_by', '=', issuer)
    .where((eb) => eb.not(hasAccount(eb)))
    .execute()
}

/** Once there is somebody, nobody comes in as the first owner any more. */
export async function removeFirstInvitation(tx: Tx): Promise<void> {
  await tx.deleteFrom('operator_invitation').where('operator_id', 'is', null).execute()
}

/** Undefined when the token is unknown, used or too old. */
export async function findInvitation(db: Db, token: string, now: Date): Promise<Invitation | undefined> {
  const row = await db
    .selectFrom('operator_invitation')
    .select(['operator_id', 'issued_by'])
    .where('hash', '=', hashOf(token))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()
  return row && { operatorId: row.operator_id, issuedBy: row.issued_by }
}

/** As `findInvitation`, and it is used up: of two who come at once with the same token, one gets it. */
export async function takeInvitation(tx: Tx, token: string, now: Date): Promise<Invitation | undefined> {
  const row = await tx
    .deleteFrom('operator_invitation')
    .where('hash', '=', hashOf(token))
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .returning(['operator_id', 'issued_by'])
    .executeTakeFirst()
  return row && { operatorId: row.operator_id, issuedBy: row.issued_by }
}
