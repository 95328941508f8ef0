import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { fromRow, type RowOf, takeFirst } from '../../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { newCredential } from '../../../platform/lib/credential.ts'
import { isStorable } from '../../../platform/lib/fields.ts'
import { fromId, newUuid, toId } from '../../../platform/lib/id.ts'
import { ACCESS_TOKEN_COLUMNS, type AccessToken, type AccessTokenColumn } from './access-token.ts'
import { type Member, memberOf } from './member.ts'

type AccessTokenRow = Pick<RowOf<'access_token'>, AccessTokenColumn>

const toAccessToken = (row: AccessTokenRow): AccessToken => fromRow(row, { id: 'tok' })

/** `token` cannot be read again. Undefined: no such user, or an assistant. `issuer`: who is responsible; null: the server. */
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
  const { rows } = await sql<AccessTokenRow>`
    insert into access_token (id, workspace_id, user_id, name, hash, issued_by, created_at)
    select ${newUuid()}::uuid, person.workspace_id, person.id, ${name}::text, ${hash}::bytea, ${issuer}::text, ${now}::timestamptz
    from workspace_user person
    where person.workspace_id = ${uuidOfWorkspace(workspaceId)} and person.id = ${userId} and not exists (
      select from contact_profile assistant
      where assistant.workspace_id = person.workspace_id and assistant.user_id = person.id and assistant.application_id is not null
    )
    returning ${sql.join(ACCESS_TOKEN_COLUMNS.map((column) => sql.ref(column)))}`.execute(db)
  const [row] = rows
  return row && { ...toAccessToken(row), token: secret }
}

/** Undefined if the token does not exist. Revoking again changes nothing. The caller publishes ACCESS_TOKENS_TOPIC afterwards. */
export async function revokeAccessToken(db: Db, workspaceId: string, id: string, now: Date): Promise<AccessToken | undefined> {
  const uuid = fromId('tok', id)
  if (uuid === undefined) return undefined
  return db
    .updateTable('access_token')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now}::timestamptz)` })
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), id: uuid }))
    .returning(ACCESS_TOKEN_COLUMNS)
    .$call(takeFirst(toAccessToken))
}

/** A user's tokens, oldest first, including revoked tokens. Undefined if `page.after` is not a token's id. */
export async function listAccessTokens(
  db: Db,
  workspaceId: string,
  userId: string,
  page: PageRequest,
): Promise<Page<AccessToken> | undefined> {
  if (!isStorable(userId)) return undefined
  const query = db
    .selectFrom('access_token')
    .select(ACCESS_TOKEN_COLUMNS)
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), user_id: userId }))
  return pageById(query, 'tok', page, toAccessToken)
}

/** Another node may accept a revoked token for a moment, and requests that are in progress are completed. */
const USABLE_AFTER_REVOCATION_MS = 60_000

/** `opr_…` of the operators who issued the tokens that the user could use between `from` and `to`. */
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
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), user_id: userId }))
    .where('created_at', '<=', to)
    .where((eb) =>
      eb.or([eb('revoked_at', 'is', null), eb('revoked_at', '>', new Date(from.getTime() - USABLE_AFTER_REVOCATION_MS))]),
    )
    .execute()
  return rows.flatMap(({ issued_by }) => (issued_by?.startsWith('opr_') ? issued_by : []))
}

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
  const member = memberOf(toId('ws', row.workspace_id), { ...row, id: row.user_id })
  return { member, hash: row.hash, revokedAt: row.revoked_at }
}
