import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { ANONYMOUS_USER } from '../../../shared/principal.ts'
import { generatedUsername, governDeclared } from '../governance/governed-fields.ts'
import type { UnrecordedDecisionDeps } from '../governance/text-decision.ts'

export interface DirectoryDeps extends UnrecordedDecisionDeps {
  readonly db: Db
}

/** `ws_…` of the Workspaces that have keys to verify user tokens. */
export async function findWorkspacesWithKeys(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('workspace')
    .select('id')
    .where(sql<boolean>`jsonb_typeof(settings -> 'jwks') = 'object'`)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => toId('ws', id))
}

/**
 * Whether the user of a verified user token may use the messaging API. An assistant may not. A user who is not in the directory yet is
 * added; the username is the user's id, or generated if policies change or deny the id or another user has that name.
 */
export async function admitToDirectory(deps: DirectoryDeps, workspaceId: string, userId: string, now: Date): Promise<boolean> {
  const { db } = deps
  const workspace = uuidOfWorkspace(workspaceId)
  const find = () => findEntry(db, workspaceId, userId)
  const existing = await find()
  if (existing) return existing.application_id === null
  const about = { workspaceId, author: { ...ANONYMOUS_USER, id: userId, verified: true }, now }
  const governed = await governDeclared(deps, about, { username: userId })
  const usernames = governed.ok && governed.fields.username === userId ? [governed.fields.username] : []
  for (const username of [...usernames, generatedUsername()]) {
    const fields = { role: '', department: '', attributes: '{}', created_at: now, updated_at: now }
    await db
      .insertInto('workspace_user')
      .values({ workspace_id: workspace, id: userId, username, ...fields })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const entry = await find()
    if (entry) return entry.application_id === null
  }
  return false
}

/** Whether the user is in the directory and is not an assistant. */
export async function isListedPerson(db: Db, workspaceId: string, userId: string): Promise<boolean> {
  return (await findEntry(db, workspaceId, userId))?.application_id === null
}

const findEntry = (db: Db, workspaceId: string, userId: string) =>
  db
    .selectFrom('workspace_user')
    .leftJoin('contact_profile', (join) =>
      join
        .onRef('contact_profile.workspace_id', '=', 'workspace_user.workspace_id')
        .onRef('contact_profile.user_id', '=', 'workspace_user.id'),
    )
    .select('application_id')
    .where('workspace_user.workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('workspace_user.id', '=', userId)
    .executeTakeFirst()
