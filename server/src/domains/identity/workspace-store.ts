import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { fromRow, hasRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { isStorable } from '../../platform/lib/fields.ts'
import { fromId, toId } from '../../platform/lib/id.ts'
import {
  fillWorkspaceSettings,
  patchWorkspaceSettings,
  type Workspace,
  type WorkspaceCreate,
  type WorkspacePatch,
} from './workspace.ts'
import { writeUnlessTaken } from './write-unless-taken.ts'

/** The keys of a Workspace, sealed for its id (platform/lib/secret-box.ts). */
export interface SealedWorkspaceKeys {
  readonly hashKey: Buffer
  readonly signingKey: Buffer
  readonly signingPublicKey: string
  readonly auditSeal: string
}

const COLUMNS = ['id', 'name', 'settings', 'signing_public_key', 'created_at'] as const

const workspaceOf = (row: Pick<RowOf<'workspace'>, (typeof COLUMNS)[number]>): Workspace => ({
  ...fromRow(row),
  id: toId('ws', row.id),
  settings: fillWorkspaceSettings(row.settings as Record<string, unknown>),
})

/** Creates a Workspace with an empty audit log. Returns undefined if the name is taken. `id`: `ws_…`. */
export async function createWorkspace(
  tx: Tx,
  id: string,
  { name, settings = {} }: WorkspaceCreate,
  keys: SealedWorkspaceKeys,
  now: Date,
): Promise<Workspace | undefined> {
  const row = await tx
    .insertInto('workspace')
    .values({
      id: uuidOfWorkspace(id),
      name,
      settings: JSON.stringify(patchWorkspaceSettings({}, settings)),
      hash_key: keys.hashKey,
      signing_key: keys.signingKey,
      signing_public_key: keys.signingPublicKey,
      audit_seal: keys.auditSeal,
      active_policy_id: null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()
  if (!row) return undefined
  await tx
    .insertInto('audit_head')
    .values({ workspace_id: row.id, sequence: 0, hash: Buffer.alloc(32) })
    .execute()
  return workspaceOf(row)
}

export const findWorkspace = (db: Db, id: string): Promise<Workspace | undefined> =>
  workspaces(db).where('id', '=', uuidOrNull('ws', id)).$call(takeFirst(workspaceOf))

const workspaces = (db: Db) => db.selectFrom('workspace').select(COLUMNS)

export async function lockWorkspace(tx: Tx, id: string): Promise<Workspace | undefined> {
  await tx.selectFrom('workspace').select('id').where('id', '=', uuidOrNull('ws', id)).forNoKeyUpdate().execute()
  return findWorkspace(tx, id)
}

export const findWorkspaceByName = (db: Db, name: string): Promise<Workspace | undefined> =>
  workspaces(db).where('name', '=', name).$call(takeFirst(workspaceOf))

export const findWorkspaceByIssuer = (db: Db, issuer: string): Promise<Workspace | undefined> =>
  workspaces(db).where(sql<boolean>`settings ->> 'issuer' = ${issuer}`).orderBy('id').limit(1).$call(takeFirst(workspaceOf))

export async function findWorkspaceId(db: Db, choice: string): Promise<string | undefined> {
  if (!isStorable(choice)) return undefined
  return ((await findWorkspace(db, choice)) ?? (await findWorkspaceByName(db, choice)))?.id
}

/** Oldest first. `ids`: only these, and those that are no ids are left out. Returns undefined if `page.after` is not an id. */
export async function listWorkspaces(db: Db, page: PageRequest, ids?: readonly string[]): Promise<Page<Workspace> | undefined> {
  let query = workspaces(db)
  if (ids) query = query.where(sql<boolean>`id = any(${ids.flatMap((id) => fromId('ws', id) ?? [])}::uuid[])`)
  return pageById(query, 'ws', page, workspaceOf)
}

export const hasWorkspaces = (db: Db): Promise<boolean> => db.selectFrom('workspace').select('id').limit(1).$call(hasRow)

export async function listReviewTargets(db: Db): Promise<readonly { readonly workspaceId: string; readonly minutes: number }[]> {
  const { rows } = await sql<{ id: string; minutes: number }>`
    select id, (settings -> 'review' ->> 'target_minutes')::int as minutes from workspace
    where settings -> 'review' ->> 'target_minutes' is not null order by id`.execute(db)
  return rows.map(({ id, minutes }) => ({ workspaceId: toId('ws', id), minutes }))
}

type WorkspaceUpdate =
  | { readonly ok: true; readonly workspace: Workspace }
  | { readonly ok: false; readonly reason: 'not_found' | 'name_taken' }

/** Merges a patch into the stored Workspace. Publish the topic `workspaces` after the commit. */
export async function updateWorkspace(tx: Tx, id: string, patch: WorkspacePatch): Promise<WorkspaceUpdate> {
  const uuid = fromId('ws', id)
  const stored = uuid && (await workspaces(tx).where('id', '=', uuid).forNoKeyUpdate().executeTakeFirst())
  if (!stored) return { ok: false, reason: 'not_found' }
  const settings = patchWorkspaceSettings(stored.settings as Record<string, unknown>, patch.settings ?? {})
  const row = await writeUnlessTaken(tx, () =>
    tx
      .updateTable('workspace')
      .set({ settings: JSON.stringify(settings), ...(patch.name !== undefined && { name: patch.name }) })
      .where('id', '=', stored.id)
      .returning(COLUMNS)
      .executeTakeFirstOrThrow(),
  )
  return row === 'taken' ? { ok: false, reason: 'name_taken' } : { ok: true, workspace: workspaceOf(row) }
}
