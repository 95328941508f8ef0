import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { type Page, type PageRequest, pageById } from '../db/page.ts'
import type { Schema } from '../db/schema.ts'
import { ROLE_SCOPES, roleOf } from '../domain/roles.ts'
import { SCOPES, type Scope } from '../domain/scope.ts'
import { newCredential } from '../lib/credential.ts'
import { fromId, newUuid, toId } from '../lib/id.ts'
import type { AdminToken } from './admin-token.ts'

/** Scopes that a later version knows and this one doesn't allow nothing here. */
const scopesOf = (stored: readonly string[] | null): readonly Scope[] =>
  stored === null ? SCOPES : SCOPES.filter((scope) => stored.includes(scope))

/** Tokens with what the database says now of the operator who issued them; those of the server itself have none. */
const tokens = (db: Db) =>
  db
    .selectFrom('admin_token')
    .selectAll()
    .select((eb) => issuerOf(eb).select('role').as('issuer_role'))
    .select((eb) => issuerOf(eb).select('suspended_at').as('issuer_suspended_at'))

const issuerOf = (eb: ExpressionBuilder<Schema, 'admin_token'>) =>
  eb.selectFrom('operator').whereRef('operator.id', '=', 'admin_token.issued_by')

type Row = Awaited<ReturnType<ReturnType<typeof tokens>['executeTakeFirstOrThrow']>>

function tokenOf(row: Row): AdminToken {
  const scopes = scopesOf(row.scopes)
  const state = row.revoked_at ? 'revoked' : hasIssuer(row) ? 'active' : 'ended'
  const ofRole = row.issuer_role === null ? SCOPES : ROLE_SCOPES[roleOf(row.issuer_role)]
  return {
    id: toId('adm', row.id),
    name: row.name,
    scopes,
    issuedBy: row.issued_by,
    state,
    effectiveScopes: state === 'active' ? scopes.filter((scope) => ofRole.includes(scope)) : [],
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  }
}

/** A token that an operator issued needs that operator; one that was issued on the server, or with such a token, needs none. */
const hasIssuer = ({ issued_by, issuer_role, issuer_suspended_at }: Row): boolean =>
  !issued_by?.startsWith('opr_') || (issuer_role !== null && issuer_suspended_at === null)

interface NewAdminToken {
  readonly name: string
  /** Default: all. */
  readonly scopes?: readonly Scope[] | null | undefined
  /** Id of the operator who issues it; default: whoever works on the server itself. */
  readonly issuer?: string
}

/** Operators' tokens belong to the server, not to a Workspace. `token` is shown to nobody after this. */
export async function createAdminToken(
  db: Db,
  { name, scopes = null, issuer }: NewAdminToken,
  now: Date,
): Promise<AdminToken & { readonly token: string }> {
  const { secret, hash } = newCredential('ga_')
  const issued_by = issuer === undefined ? null : await findResponsibleOperator(db, issuer)
  const id = newUuid()
  await db.insertInto('admin_token').values({ id, name, hash, scopes, issued_by, created_at: now, revoked_at: null }).execute()
  const row = await tokens(db).where('id', '=', id).executeTakeFirstOrThrow()
  return { ...tokenOf(row), token: secret }
}

/** Undefined when there is none of that id. Revoking again changes nothing. Publish the topic `admin_tokens` afterwards. */
export async function revokeAdminToken(db: Db, id: string, now: Date): Promise<AdminToken | undefined> {
  const uuid = fromId('adm', id)
  if (uuid === undefined) return undefined
  await db
    .updateTable('admin_token')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now}::timestamptz)` })
    .where('id', '=', uuid)
    .execute()
  return findAdminToken(db, id)
}

/** Undefined when there is none of that id. */
export async function findAdminToken(db: Db, id: string): Promise<AdminToken | undefined> {
  const row = await tokens(db)
    .where('id', '=', fromId('adm', id) ?? null)
    .executeTakeFirst()
  return row && tokenOf(row)
}

/** Whoever stands behind an operator: of a token its issuer, if it has one. */
export const findResponsibleOperator = async (db: Db, operatorId: string): Promise<string> =>
  (await findAdminToken(db, operatorId))?.issuedBy ?? operatorId

/** Every id under which whoever stands behind an operator may act: their own, and those of the tokens that they answer for. */
export async function findIdsOfOperator(db: Db, operatorId: string): Promise<string[]> {
  const issuer = await findResponsibleOperator(db, operatorId)
  const issued = await db.selectFrom('admin_token').select('id').where('issued_by', '=', issuer).execute()
  return [issuer, ...issued.map(({ id }) => toId('adm', id))]
}

/** Oldest first, revoked ones too. Undefined when `page.after` is no id. */
export async function listAdminTokens(db: Db, page: PageRequest): Promise<Page<AdminToken> | undefined> {
  return pageById(tokens(db), 'adm', page, tokenOf)
}

/**
 * The ids of all tokens that work, held until `tx` ends: who revokes one only while another is left must not meet
 * somebody who does the same with that other.
 */
export async function lockActiveAdminTokens(tx: Tx): Promise<string[]> {
  const rows = await tokens(tx).where('revoked_at', 'is', null).orderBy('id').forUpdate().execute()
  return rows.filter(hasIssuer).map(({ id }) => toId('adm', id))
}

/** Whether anybody can operate this server: a first start makes a token when nobody can. */
export async function hasAdminToken(db: Db): Promise<boolean> {
  const row = await db.selectFrom('admin_token').select('id').where('revoked_at', 'is', null).limit(1).executeTakeFirst()
  return row !== undefined
}

export async function findAdminTokenByHash(db: Db, hash: Buffer): Promise<(AdminToken & { readonly hash: Buffer }) | undefined> {
  const row = await tokens(db).where('hash', '=', hash).executeTakeFirst()
  return row && { ...tokenOf(row), hash: row.hash }
}
