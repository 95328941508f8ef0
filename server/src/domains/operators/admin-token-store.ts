import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { hasRow, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { type NewCredential, newCredential } from '../../platform/lib/credential.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import { type Access, accessOf, FULL_ACCESS, limitAccess, NO_ACCESS, scopesAnywhere } from '../../shared/access.ts'
import { SCOPES, type Scope } from '../../shared/scope.ts'
import type { AdminToken } from './admin-token.ts'
import { hasRoleInAll, rolesOf, workspaceRolesOf } from './stored-roles.ts'

/** Ignores scopes of later versions. null: all scopes. */
const scopesOf = (stored: readonly string[] | null): readonly Scope[] =>
  stored === null ? SCOPES : SCOPES.filter((scope) => stored.includes(scope))

const selectTokens = (db: Db) =>
  db
    .selectFrom('admin_token')
    .selectAll()
    .select((eb) => issuerOf(eb).select('role').as('issuer_role'))
    .select((eb) => issuerOf(eb).select('suspended_at').as('issuer_suspended_at'))
    .select(workspaceRolesOf('admin_token.issued_by').as('issuer_workspace_roles'))

const issuerOf = (eb: ExpressionBuilder<Schema, 'admin_token'>) =>
  eb.selectFrom('operator').whereRef('operator.id', '=', 'admin_token.issued_by')

type Row = Awaited<ReturnType<ReturnType<typeof selectTokens>['executeTakeFirstOrThrow']>>

function tokenOf(row: Row): AdminToken {
  const scopes = scopesOf(row.scopes)
  const state = row.revoked_at ? 'revoked' : isIssuerActive(row) ? 'active' : 'ended'
  const workspaceIds = row.workspace_ids?.map((uuid) => toId('ws', uuid)) ?? null
  const access = state === 'active' ? limitAccess(accessOfIssuer(row), scopes, workspaceIds) : NO_ACCESS
  return {
    id: toId('adm', row.id),
    name: row.name,
    scopes,
    workspaceIds,
    issuedBy: row.issued_by,
    state,
    access,
    effectiveScopes: scopesAnywhere(access),
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  }
}

/** A token that was issued on the server, or with such a token, has no operator whose roles limit it. */
const accessOfIssuer = ({ issuer_role: role, issuer_workspace_roles: workspace_roles }: Row): Access =>
  role === null ? FULL_ACCESS : accessOf(rolesOf({ role, workspace_roles }))

const isIssuerActive = ({ issued_by, issuer_role, issuer_suspended_at }: Row): boolean =>
  !issued_by?.startsWith('opr_') || (issuer_role !== null && issuer_suspended_at === null)

interface NewAdminToken {
  readonly name: string
  readonly scopes?: readonly Scope[] | null | undefined
  readonly workspaceIds?: readonly string[] | null | undefined
  /** Id of the issuing operator or token. Default: issued on the server. */
  readonly issuer?: string
  readonly credential?: NewCredential
}

export async function createAdminToken(
  db: Db,
  { name, scopes = null, workspaceIds = null, issuer, credential = newCredential('ga_') }: NewAdminToken,
  now: Date,
): Promise<AdminToken & { readonly token: string }> {
  const issued_by = issuer === undefined ? null : await findResponsibleOperator(db, issuer)
  const id = newUuid()
  await db
    .insertInto('admin_token')
    .values({
      id,
      name,
      hash: credential.hash,
      workspace_ids: workspaceIds?.map(uuidOfWorkspace) ?? null,
      scopes,
      issued_by,
      created_at: now,
      revoked_at: null,
    })
    .execute()
  const row = await selectTokens(db).where('id', '=', id).executeTakeFirstOrThrow()
  return { ...tokenOf(row), token: credential.secret }
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

export const findAdminToken = (db: Db, id: string): Promise<AdminToken | undefined> =>
  selectTokens(db).where('id', '=', uuidOrNull('adm', id)).$call(takeFirst(tokenOf))

/** The id of the responsible operator: for a token its issuer, if it has one, otherwise the id itself. */
export const findResponsibleOperator = async (db: Db, operatorId: string): Promise<string> =>
  (await findAdminToken(db, operatorId))?.issuedBy ?? operatorId

/** All ids under which an operator can act: the responsible operator's own id and those of the operator's tokens. */
export async function findIdsOfOperator(db: Db, operatorId: string): Promise<string[]> {
  const responsible = await findResponsibleOperator(db, operatorId)
  const tokens = await db.selectFrom('admin_token').select('id').where('issued_by', '=', responsible).execute()
  return [responsible, ...tokens.map(({ id }) => toId('adm', id))]
}

/** Oldest first, with revoked tokens. `workspaceId`: only those valid in this Workspace. Undefined: `page.after` is no id. */
export async function listAdminTokens(db: Db, page: PageRequest, workspaceId?: string): Promise<Page<AdminToken> | undefined> {
  const tokens = workspaceId === undefined ? selectTokens(db) : selectTokens(db).where(isFor(workspaceId))
  return pageById(tokens, 'adm', page, tokenOf)
}

function isFor(workspaceId: string): RawBuilder<boolean> {
  const workspace = uuidOfWorkspace(workspaceId)
  return sql<boolean>`(${workspace}::uuid = any(workspace_ids) or workspace_ids is null and (
    issued_by is null or issued_by not like 'opr\\_%'
    or exists (select from operator where operator.id = issued_by and ${hasRoleInAll})
    or exists (select from operator_role where operator_id = issued_by and workspace_id = ${workspace} and role is not null)))`
}

/** The ids of the active tokens for all Workspaces, locked until `tx` ends, so that two requests cannot revoke the last two tokens. */
export async function lockActiveAdminTokens(tx: Tx): Promise<string[]> {
  const rows = await selectTokens(tx)
    .where('revoked_at', 'is', null)
    .where('workspace_ids', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.filter(isIssuerActive).map(({ id }) => toId('adm', id))
}

export const hasAdminToken = (db: Db): Promise<boolean> =>
  db
    .selectFrom('admin_token')
    .select('id')
    .where('revoked_at', 'is', null)
    .where('workspace_ids', 'is', null)
    .limit(1)
    .$call(hasRow)

export async function findAdminTokenByHash(db: Db, hash: Buffer): Promise<(AdminToken & { readonly hash: Buffer }) | undefined> {
  const row = await selectTokens(db).where('hash', '=', hash).executeTakeFirst()
  return row && { ...tokenOf(row), hash: row.hash }
}
