import { hash, randomBytes } from 'node:crypto'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { hasRoleInAll } from './stored-roles.ts'

const VALID_DAYS = 7
const TOKEN_BYTES = 32

export interface Invitation {
  readonly operatorId: string | null
  readonly issuedBy: string | null
}

export const hasAccount = (eb: ExpressionBuilder<Schema, 'operator'>) =>
  eb.exists(eb.selectFrom('operator_account').select('id').whereRef('operator_account.operator_id', '=', 'operator.id'))

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

export const newInvitationToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

export const invitationUrl = (base: string, token: string): string => `${base}/dashboard/welcome?token=${token}`

/** The issuer of invitations that are created on the command line or at the first start. */
export const SERVER = 'server'

/** Replaces an invitation. That of the first owner (null) does not expire, because only the server's user can read it. */
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

interface Concerned {
  readonly workspaceIds: readonly string[]
  readonly inAll: boolean
}

/** SQL condition: the operator has a role in one of the Workspaces, or with `inAll` in all. */
export const hasRoleIn = ({ workspaceIds, inAll }: Concerned) => sql<boolean>`(${inAll} and ${hasRoleInAll}
  or exists (select from operator_role where operator_role.operator_id = operator.id and operator_role.role is not null
    and operator_role.workspace_id = any(${workspaceIds.map(uuidOfWorkspace)}::uuid[])))`

/** Deletes the invitations of an issuer, and the invited operators who cannot sign in yet. `concerned`: only of these operators. */
export async function withdrawInvitationsOf(tx: Tx, issuer: string, concerned?: Concerned): Promise<void> {
  const condition = concerned ? hasRoleIn(concerned) : sql<boolean>`true`
  await tx
    .deleteFrom('operator_invitation')
    .where('issued_by', '=', issuer)
    .where('operator_id', 'in', (eb) => eb.selectFrom('operator').select('operator.id').where(condition))
    .execute()
  await tx
    .deleteFrom('operator')
    .where('invited_by', '=', issuer)
    .where((eb) => eb.not(hasAccount(eb)))
    .where(condition)
    .execute()
}

export async function removeFirstInvitation(tx: Tx): Promise<void> {
  await tx.deleteFrom('operator_invitation').where('operator_id', 'is', null).execute()
}

const INVITATION = ['operator_id as operatorId', 'issued_by as issuedBy'] as const
const isValidAt = (now: Date) => sql<boolean>`(expires_at is null or expires_at > ${now})`

/** Returns undefined if the token is unknown, used or expired. */
export async function findInvitation(db: Db, token: string, now: Date): Promise<Invitation | undefined> {
  const invitations = db.selectFrom('operator_invitation').select(INVITATION)
  return invitations.where('hash', '=', hashOf(token)).where(isValidAt(now)).executeTakeFirst()
}

/** Finds and deletes an invitation, so that only one of two concurrent requests gets it. */
export async function takeInvitation(tx: Tx, token: string, now: Date): Promise<Invitation | undefined> {
  const invitations = tx.deleteFrom('operator_invitation').where('hash', '=', hashOf(token)).where(isValidAt(now))
  return invitations.returning(INVITATION).executeTakeFirst()
}
