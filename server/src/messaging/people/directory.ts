import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import { ANONYMOUS_USER } from '../../domain/principal.ts'
import { toId } from '../../lib/id.ts'
import { generatedUsername, governDeclared } from '../governance/governed-fields.ts'
import type { UnrecordedDecisionDeps } from '../governance/text-decision.ts'

export interface DirectoryDeps extends UnrecordedDecisionDeps {
  readonly db: Db
}

/** The Workspaces that have keys of their own to verify users with. */
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
 * Whether a user whom a verified token names may come in: a person may, and who is not in the directory yet is put there,
 * with the id for a username, unless policies or another user stand in the way; an assistant may not.
 */
export async function admitToDirectory(deps: DirectoryDeps, workspaceId: string, userId: string, now: Date): Promise<boolean> {
  const { db } = deps
  const workspace = uuidOfWorkspace(workspaceId)
  const find = () => entryOf(db, workspaceId, userId)
  const known = await find()
  if (known) return known.application_id === null
  const about = { workspaceId, author: { ...ANONYMOUS_USER, id: userId, verified: true }, now }
  const governed = await governDeclared(deps, about, { username: userId })
  const own = governed.ok && governed.fields.username === userId ? [governed.fields.username] : []
  for (const username of [...own, generatedUsername()]) {
    const fields = { role: '', department: '', attributes: '{}', created_at: now, updated_at: now }
    await db
      .insertInto('workspace_user')
      .values({ workspace_id: workspace, id: userId, username, ...fields })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const made = await find()
    if (made) return made.application_id === null
  }
  return false
}

/** Whether the directory has that person now; an assistant is none. */
export async function isListedPerson(db: Db, workspaceId: string, userId: string): Promise<boolean> {
  return (await entryOf(db, workspaceId, userId))?.application_id === null
}

const entryOf = (db: Db, workspaceId: string, userId: string) =>
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
