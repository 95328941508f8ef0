import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { type Page, type PageRequest, pageById } from '../../db/page.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import { newCredential } from '../../lib/credential.ts'
import { isStorable } from '../../lib/fields.ts'
import { fromId, newUuid, toId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import type { AccessToken } from './access-token.ts'
import type { AccessTokenTable } from './tables.ts'

const tokenOf = (row: Selectable<AccessTokenTable>): AccessToken => ({
  id: toId('tok', row.id),
  userId: row.user_id,
  name: row.name,
  issuedBy: row.issued_by,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
})

/**
 * `token` is shown to nobody after this. Undefined when there is no such person; assistants get none. `issuer`: who answers for
 * it; null: the server itself.
 */
export async function issueAccessToken(
  db: Db,
  workspaceId: string,
  userId: string,
  name: string,
  now: Date,
  issuer: string | null = null,
): Promise<(AccessToken & { readonly token: string }) | undefined> {
  if (!isStorable(userId)) return undefined
  const { secret, hash } = newCredential('gu_')
  const row = await db
    .insertInto('access_token')
    .columns(['id', 'workspace_id', 'user_id', 'name', 'hash', 'issued_by', 'created_at', 'revoked_at'])
    .expression(
      people(db, workspaceId, userId).select([
        sql<string>`${newUuid()}::uuid`.as('token_id'),
        'workspace_user.workspace_id',
        'workspace_user.id',
        sql<string>`${name}::text`.as('name'),
        sql<Buffer>`${hash}::bytea`.as('hash'),
        sql<string | null>`${issuer}::text`.as('issued_by'),
        sql<Date>`${now}::timestamptz`.as('created_at'),
        sql<null>`null::timestamptz`.as('revoked_at'),
      ]),
    )
    .returningAll()
    .executeTakeFirst()
  return row && { ...tokenOf(row), token: secret }
}

/** A user, unless it is an assistant: nobody speaks for those. */
const people = (db: Db, workspaceId: string, userId: string) =>
  db
    .selectFrom('workspace_user')
    .where('workspace_user.workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('workspace_user.id', '=', userId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('contact_profile')
            .select('user_id')
            .whereRef('contact_profile.workspace_id', '=', 'workspace_user.workspace_id')
            .whereRef('contact_profile.user_id', '=', 'workspace_user.id')
            .where('application_id', 'is not', null),
        ),
      ),
    )

/** Undefined when the Workspace has none of that id. Revoking again changes nothing. Publish ACCESS_TOKENS_TOPIC afterwards. */
export async function revokeAccessToken(db: Db, workspaceId: string, id: string, now: Date): Promise<AccessToken | undefined> {
  const uuid = fromId('tok', id)
  if (uuid === undefined) return undefined
  const row = await db
    .updateTable('access_token')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now}::timestamptz)` })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuid)
    .returningAll()
    .executeTakeFirst()
  return row && tokenOf(row)
}

/** A user's tokens, oldest first, revoked ones too. Undefined when `page.after` is no id. */
export async function listAccessTokens(
  db: Db,
  workspaceId: string,
  userId: string,
  page: PageRequest,
): Promise<Page<AccessToken> | undefined> {
  if (!isStorable(userId)) return undefined
  const query = db
    .selectFrom('access_token')
    .selectAll()
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('user_id', '=', userId)
  return pageById(query, 'tok', page, tokenOf)
}

/** A revoked token may be known to another node for a moment, and what was sent with it may still be under way. */
const STILL_USED_MS = 60_000

/** Operators who issued the tokens with which the user could act from the first time to the last. */
export async function findTokenIssuers(
  db: Db,
  workspaceId: string,
  userId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<string[]> {
  const rows = await db
    .selectFrom('access_token')
    .select('issued_by')
    .distinct()
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('user_id', '=', userId)
    .where('created_at', '<=', to)
    .where((eb) => eb.or([eb('revoked_at', 'is', null), eb('revoked_at', '>', new Date(from.getTime() - STILL_USED_MS))]))
    .execute()
  return rows.flatMap(({ issued_by }) => (issued_by?.startsWith('opr_') ? issued_by : []))
}

/** Whom a token of that hash stands for, as the directory has them now. */
export async function findTokenHolder(
  db: Db,
  hash: Buffer,
): Promise<{ readonly member: Member; readonly hash: Buffer; readonly revokedAt: Date | null } | undefined> {
  const row = await db
    .selectFrom('access_token')
    .innerJoin('workspace_user', (join) =>
      join
        .onRef('workspace_user.workspace_id', '=', 'access_token.workspace_id')
        .onRef('workspace_user.id', '=', 'access_token.user_id'),
    )
    .select(['hash', 'revoked_at', 'access_token.workspace_id', 'user_id', 'role', 'department', 'attributes'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (!row) return undefined
  const { user_id: id, role, department, attributes } = row
  const member = { workspaceId: toId('ws', row.workspace_id), user: { id, role, department, attributes, verified: true } }
  return { member, hash: row.hash, revokedAt: row.revoked_at }
}
