import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { jsonOrNull, uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import {
  type ApplicationCreate,
  type ApplicationPatch,
  type ApplicationRecord,
  DEFAULT_CEILING,
  fillApplicationLimits,
  fillApplicationSettings,
  type Overrides,
  patchOverrides,
} from './application.ts'
import { writeUnlessTaken } from './write-unless-taken.ts'

export type ApplicationRow = RowOf<'application'>

/** Named, because a statement that returns all columns of a table is not prepared behind a pooler (platform/db/prepared-statements.ts). */
export const APPLICATION_COLUMNS = [
  'application.id',
  'application.workspace_id',
  'application.name',
  'application.settings',
  'application.limits',
  'application.models',
  'application.providers',
  'application.default_model',
  'application.ceiling',
  'application.created_at',
  'application.updated_at',
  'application.archived_at',
] as const

/** The CORS origins of all Applications of all Workspaces, because a preflight request has no key. */
export async function allCorsOrigins(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ origin: string }>`
    select distinct origin from application, jsonb_array_elements_text(settings -> 'cors' -> 'origins') as origin
    where jsonb_typeof(settings -> 'cors' -> 'origins') = 'array' and archived_at is null`.execute(db)
  return new Set(rows.map(({ origin }) => origin))
}

export async function findWindowedApplications(db: Db, workspaceId: string): Promise<readonly string[]> {
  const windowed = applications(db, workspaceId).where(sql<boolean>`application.settings ->> 'release' = 'windowed'`)
  return (await windowed.where('archived_at', 'is', null).orderBy('application.name').execute()).map(({ name }) => name)
}

export const applicationOf = (row: ApplicationRow): ApplicationRecord => ({
  id: toId('app', row.id),
  workspaceId: toId('ws', row.workspace_id),
  name: row.name,
  settings: fillApplicationSettings(row.settings as Overrides['settings']),
  limits: fillApplicationLimits(row.limits as Overrides['limits']),
  models: row.models,
  providers: row.providers,
  defaultModel: row.default_model,
  ceiling: row.ceiling,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  archivedAt: row.archived_at,
})

/** Returns undefined if the Workspace has an Application of that name. */
export async function createApplication(
  db: Db,
  workspaceId: string,
  create: ApplicationCreate,
  now: Date,
): Promise<ApplicationRecord | undefined> {
  const { settings, limits } = patchOverrides({ settings: {}, limits: {} }, create)
  return db
    .insertInto('application')
    .values({
      id: newUuid(),
      workspace_id: uuidOfWorkspace(workspaceId),
      name: create.name,
      settings: JSON.stringify(settings),
      limits: JSON.stringify(limits),
      models: jsonOrNull(create.models),
      providers: jsonOrNull(create.providers),
      default_model: create.default_model ?? null,
      ceiling: create.ceiling ?? DEFAULT_CEILING,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doNothing())
    .returningAll()
    .$call(takeFirst(applicationOf))
}

export const findApplication = (db: Db, workspaceId: string, id: string): Promise<ApplicationRecord | undefined> =>
  applications(db, workspaceId).where('id', '=', uuidOrNull('app', id)).$call(takeFirst(applicationOf))

/** Finds an Application that is not archived or restored until `tx` ends. Lock it before its keys, as `setArchived` does: another order deadlocks. */
export const lockApplication = (tx: Tx, workspaceId: string, id: string): Promise<ApplicationRecord | undefined> =>
  applications(tx, workspaceId).where('id', '=', uuidOrNull('app', id)).forShare().$call(takeFirst(applicationOf))

export const findApplicationByName = (db: Db, workspaceId: string, name: string): Promise<ApplicationRecord | undefined> =>
  applications(db, workspaceId).where('name', '=', name).$call(takeFirst(applicationOf))

/** Oldest first. Returns undefined if `page.after` is not an id. */
export async function listApplications(
  db: Db,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<ApplicationRecord> | undefined> {
  return pageById(applications(db, workspaceId), 'app', page, applicationOf)
}

type ResolvedApplications =
  | { readonly ok: true; readonly ids: readonly string[] }
  | { readonly ok: false; readonly index: number }

/** Finds Applications by id or name and returns their sorted ids. `index`: the first reference that the Workspace does not have. */
export async function resolveApplications(
  db: Db,
  workspaceId: string,
  references: readonly string[],
): Promise<ResolvedApplications> {
  const ids = new Set<string>()
  for (const [index, reference] of references.entries()) {
    const found = (await findApplication(db, workspaceId, reference)) ?? (await findApplicationByName(db, workspaceId, reference))
    if (!found) return { ok: false, index }
    ids.add(found.id)
  }
  return { ok: true, ids: [...ids].sort() }
}

type ApplicationUpdate =
  | { readonly ok: true; readonly application: ApplicationRecord }
  | { readonly ok: false; readonly reason: 'not_found' | 'name_taken' }

/** Merges a patch into the stored Application. Locks the row, so that concurrent patches are all kept. */
export async function updateApplication(
  tx: Tx,
  workspaceId: string,
  id: string,
  patch: ApplicationPatch,
  now: Date,
): Promise<ApplicationUpdate> {
  const uuid = fromId('app', id)
  const stored = uuid && (await applications(tx, workspaceId).where('id', '=', uuid).forUpdate().executeTakeFirst())
  if (!stored) return { ok: false, reason: 'not_found' }
  const { settings, limits } = patchOverrides({ settings: stored.settings, limits: stored.limits } as Overrides, patch)
  const row = await writeUnlessTaken(tx, () =>
    tx
      .updateTable('application')
      .set({
        settings: JSON.stringify(settings),
        limits: JSON.stringify(limits),
        updated_at: now,
        ...(patch.name !== undefined && { name: patch.name }),
        ...(patch.models !== undefined && { models: jsonOrNull(patch.models) }),
        ...(patch.providers !== undefined && { providers: jsonOrNull(patch.providers) }),
        ...(patch.default_model !== undefined && { default_model: patch.default_model }),
        ...(patch.ceiling !== undefined && { ceiling: patch.ceiling ?? DEFAULT_CEILING }),
      })
      .where('id', '=', stored.id)
      .where('workspace_id', '=', stored.workspace_id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
  return row === 'taken' ? { ok: false, reason: 'name_taken' } : { ok: true, application: applicationOf(row) }
}

/**
 * Sets when the Application was archived; null restores it. An earlier time stays. Returns undefined if the Workspace has no such Application. Locks the
 * row, so that no key is issued at the same time: revoke the keys in the same transaction.
 */
export const setArchived = (tx: Tx, workspaceId: string, id: string, at: Date | null): Promise<ApplicationRecord | undefined> =>
  tx
    .updateTable('application')
    .set({ archived_at: at && sql<Date>`coalesce(archived_at, ${at}::timestamptz)` })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('app', id))
    .returning(APPLICATION_COLUMNS)
    .$call(takeFirst(applicationOf))

export const applications = (db: Db, workspaceId: string) =>
  db.selectFrom('application').select(APPLICATION_COLUMNS).where('workspace_id', '=', uuidOfWorkspace(workspaceId))
