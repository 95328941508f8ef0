import { type ExpressionBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { type Page, type PageRequest, pageById } from '../db/page.ts'
import type { Schema } from '../db/schema.ts'
import { ROLE_SCOPES, roleOf } from '../domain/roles.ts'
import { SCOPES, type Scope } from '../domain/scope.ts'
import { newCredential } from '../lib/credential.ts'
import { fromId, newUuid, toId } from '../lib/id.ts'
import type { AdminToken } from './admin-token.ts'

/** Ignores scopes of later versions. null: all scopes. */
const scopesOf = (stored: readonly string[] | null): readonly Scope[] =>
  stored === null ? SCOPES : SCOPES.filter((scope) => stored.includes(scope))

/** Tokens with the current role and suspension of their issuers. */
const selectTokens = (db: Db) =>
  db
    .selectFrom('admin_token')
    .selectAll()
    .select((eb) => issuerOf(eb).select('role').as('issuer_role'))
    .select((eb) => issuerOf(eb).select('suspended_at').as('issuer_suspended_at'))

const issuerOf = (eb: ExpressionBuilder<Schema, 'admin_token'>) =>
  eb.selectFrom('operator').whereRef('operator.id', '=', 'admin_token.issued_by')

type Row = Awaited<ReturnType<ReturnType<typeof selectTokens>['executeTakeFirstOrThrow']>>

function tokenOf(row: Row): AdminToken {
  const scopes = scopesOf(row.scopes)
  const state = row.revoked_at ? 'revoked' : isIssuerActive(row) ? 'active' : 'ended'
  const roleScopes = row.issuer_role === null ? SCOPES : ROLE_SCOPES[roleOf(row.issuer_role)]
  return {
    id: toId('adm', row.id),
    name: row.name,
    scopes,
    issuedBy: row.issued_by,
    state,
    effectiveScopes: state === 'active' ? scopes.filter((scope) => roleScopes.includes(scope)) : [],
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  }
}

/** False: the operator who issued the token was removed or suspended. A token that was issued on the server needs no operator. */
const isIssuerActive = ({ issued_by, issuer_role, issuer_suspended_at }: Row): boolean =>
  !issued_by?.startsWith('opr_') || (issuer_role !== null && issuer_suspended_at === null)

interface NewAdminToken {
  readonly name: string
  /** Default: all scopes. */
  readonly scopes?: readonly Scope[] | null | undefined
  /** Id of the issuing operator or token. Default: issued on the server. */
  readonly issuer?: string
}

/** Creates a token. It is valid for the whole server. `token` is not stored. */
export async function createAdminToken(
  db: Db,
  { name, scopes = null, issuer }: NewAdminToken,
  now: Date,
): Promise<AdminToken & { readonly token: string }> {
  const { secret, hash } = newCredential('ga_')
  const issued_by = issuer === undefined ? null : await findResponsibleOperator(db, issuer)
  const id = newUuid()
  await db.insertInto('admin_token').values({ id, name, hash, scopes, issued_by, created_at: now, revoked_at: null }).execute()
  const row = await selectTokens(db).where('id', '=', id).executeTakeFirstOrThrow()
  return { ...tokenOf(row), token: secret }
}

/** Revoking again changes nothing. Returns undefined if the token does not exist. Publish the topic `admin_tokens` after the commit. */
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

export async function findAdminToken(db: Db, id: string): Promise<AdminToken | undefined> {
  const row = await selectTokens(db)
    .where('id', '=', fromId('adm', id) ?? null)
    .executeTakeFirst()
  return row && tokenOf(row)
}

/** The id of the responsible operator: for a token its issuer, if it has one, otherwise the id itself. */
export const findResponsibleOperator = async (db: Db, operatorId: string): Promise<string> =>
  (await findAdminToken(db, operatorId))?.issuedBy ?? operatorId

/** All ids under which an operator can act: the responsible operator's own id and those of the operator's tokens. */
export async function findIdsOfOperator(db: Db, operatorId: string): Promise<string[]> {
  const responsible = await findResponsibleOperator(db, operatorId)
  const tokens = await db.selectFrom('admin_token').select('id').where('issued_by', '=', responsible).execute()
  return [responsible, ...tokens.map(({ id }) => toId('adm', id))]
}

/** Oldest first, with revoked tokens. Returns undefined if `page.after` is not an id. */
export async function listAdminTokens(db: Db, page: PageRequest): Promise<Page<AdminToken> | undefined> {
  return pageById(selectTokens(db), 'adm', page, tokenOf)
}

/** The ids of all active tokens, locked until `tx` ends, so that two concurrent requests cannot revoke the last two tokens. */
export async function lockActiveAdminTokens(tx: Tx): Promise<string[]> {
  const rows = await selectTokens(tx).where('revoked_at', 'is', null).orderBy('id').forUpdate().execute()
  return rows.filter(isIssuerActive).map(({ id }) => toId('adm', id))
}

/** Whether a token exists that is not revoked. A first start creates one otherwise. */
export async function hasAdminToken(db: Db): Promise<boolean> {
  const row = await db.selectFrom('admin_token').select('id').where('revoked_at', 'is', null).limit(1).executeTakeFirst()
  return row !== undefined
}

export async function findAdminTokenByHash(db: Db, hash: Buffer): Promise<(AdminToken & { readonly hash: Buffer }) | undefined> {
  const row = await selectTokens(db).where('hash', '=', hash).executeTakeFirst()
  return row && { ...tokenOf(row), hash: row.hash }
}
