import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { fromRow, hasRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { jsonOrNull, uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { newUuid, toId } from '../../platform/lib/id.ts'
import { patchLimits } from './restriction.ts'
import type { Team, TeamCreate, TeamPatch } from './team.ts'
import { writeUnlessTaken } from './write-unless-taken.ts'

const teamOf = (row: RowOf<'team'>): Team => fromRow(row, { id: 'tea', workspace_id: 'ws' })

const teams = (db: Db, workspaceId: string) =>
  db.selectFrom('team').selectAll().where('workspace_id', '=', uuidOfWorkspace(workspaceId))

export const findTeam = (db: Db, workspaceId: string, id: string): Promise<Team | undefined> =>
  teams(db, workspaceId).where('id', '=', uuidOrNull('tea', id)).$call(takeFirst(teamOf))

export const findTeamByName = (db: Db, workspaceId: string, name: string): Promise<Team | undefined> =>
  teams(db, workspaceId).where('name', '=', name).$call(takeFirst(teamOf))

/** Finds a team that is not deleted until `tx` ends. */
export const lockTeam = (tx: Tx, workspaceId: string, id: string): Promise<Team | undefined> =>
  teams(tx, workspaceId).where('id', '=', uuidOrNull('tea', id)).forKeyShare().$call(takeFirst(teamOf))

/** Oldest first. Undefined when the cursor is not an id. */
export const listTeams = (db: Db, workspaceId: string, page: PageRequest): Promise<Page<Team> | undefined> =>
  pageById(teams(db, workspaceId), 'tea', page, teamOf)

/** Returns undefined if the Workspace has a team of that name. */
export const createTeam = (tx: Tx, workspaceId: string, create: TeamCreate, now: Date): Promise<Team | undefined> =>
  tx
    .insertInto('team')
    .values({
      id: newUuid(),
      workspace_id: uuidOfWorkspace(workspaceId),
      name: create.name,
      limits: JSON.stringify(patchLimits({}, create.limits)),
      models: jsonOrNull(create.models),
      members: jsonOrNull(create.members),
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doNothing())
    .returningAll()
    .$call(takeFirst(teamOf))

type TeamUpdate = Team | { readonly ok: false; readonly reason: 'not_found' | 'name_taken' }

/** Merges a patch into a team. Locks the row, so that concurrent patches are all kept. Publish the topic `keys`. */
export async function updateTeam(tx: Tx, workspaceId: string, id: string, patch: TeamPatch, now: Date): Promise<TeamUpdate> {
  const stored = await teams(tx, workspaceId).where('id', '=', uuidOrNull('tea', id)).forUpdate().executeTakeFirst()
  if (!stored) return { ok: false, reason: 'not_found' }
  const row = await writeUnlessTaken(tx, () =>
    tx
      .updateTable('team')
      .set({
        updated_at: now,
        limits: JSON.stringify(patchLimits(stored.limits, patch.limits)),
        ...(patch.name !== undefined && { name: patch.name }),
        ...(patch.models !== undefined && { models: jsonOrNull(patch.models) }),
        ...(patch.members !== undefined && { members: jsonOrNull(patch.members) }),
      })
      .where('workspace_id', '=', stored.workspace_id)
      .where('id', '=', stored.id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
  return row === 'taken' ? { ok: false, reason: 'name_taken' } : teamOf(row)
}

/** 'in_use': a valid key would lose the team's limits. Revoked keys lose their team. */
export async function deleteTeam(tx: Tx, workspaceId: string, id: string): Promise<boolean | 'in_use'> {
  const stored = await teams(tx, workspaceId).where('id', '=', uuidOrNull('tea', id)).forUpdate().executeTakeFirst()
  if (!stored) return false
  const keys = tx.selectFrom('api_key').select('id').where('team_id', '=', stored.id)
  if (await keys.where('revoked_at', 'is', null).limit(1).$call(hasRow)) return 'in_use'
  const ofWorkspace = uuidOfWorkspace(workspaceId)
  await tx
    .updateTable('api_key')
    .set({ team_id: null })
    .where('workspace_id', '=', ofWorkspace)
    .where('team_id', '=', stored.id)
    .execute()
  await tx.deleteFrom('team').where('workspace_id', '=', ofWorkspace).where('id', '=', stored.id).execute()
  return true
}

/** Returns the ids of the changed teams. A team without another member has no members then, and not everyone. */
export async function removeTeamMember(tx: Tx, workspaceId: string, userId: string): Promise<readonly string[]> {
  const changed = await tx
    .updateTable('team')
    .set({ members: sql<string>`members - ${userId}::text` })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where(sql<boolean>`members ? ${userId}::text`)
    .returning('id')
    .execute()
  return changed.map(({ id }) => toId('tea', id))
}

/** The team of each key that has one, by the key's id. */
export async function findTeamsOfKeys(db: Db, workspaceId: string): Promise<ReadonlyMap<string, string>> {
  const keys = db.selectFrom('api_key').select(['id', 'team_id']).where('workspace_id', '=', uuidOfWorkspace(workspaceId))
  const rows = await keys.where('team_id', 'is not', null).execute()
  return new Map(rows.map(({ id, team_id }) => [toId('key', id), toId('tea', team_id ?? '')]))
}
