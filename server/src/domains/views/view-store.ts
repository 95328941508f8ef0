import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { type Entity, fromRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { jsonOrNull, uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { newUuid, toId } from '../../platform/lib/id.ts'

/** Where views are kept, and who reads them: an operator sees their own views and the shared ones. */
export interface Reader {
  readonly workspaceId: string
  /** `opr_…` or `adm_…` */
  readonly operatorId: string
}

const COLUMNS = ['id', 'page', 'name', 'query', 'columns', 'shared', 'owner', 'created_at', 'updated_at'] as const

/** Ids are TypeIDs (`viw_…`). */
export type SavedView = Entity<'saved_view', (typeof COLUMNS)[number]>
type ViewContent = Pick<SavedView, 'name' | 'query' | 'columns' | 'shared'>

/** By time of creation. Undefined if `page.after` is not an id. */
export const listViews = (
  db: Db,
  reader: Reader,
  { page: name, ...page }: PageRequest & { readonly page: string | undefined },
): Promise<Page<SavedView> | undefined> =>
  pageById(
    visible(db, reader)
      .select(COLUMNS)
      .$if(name !== undefined, (query) => query.where('page', '=', name ?? '')),
    'viw',
    page,
    toView,
  )

/** Undefined if there is none that the reader sees. */
export const lockView = (tx: Tx, reader: Reader, id: string): Promise<SavedView | undefined> =>
  visible(tx, reader).select(COLUMNS).where('id', '=', uuidOrNull('viw', id)).forUpdate().$call(takeFirst(toView))

/** Counts the reader's own views and the shared ones. Locks the Workspace, so that requests at the same time cannot exceed a limit together. */
export async function countViews(tx: Tx, { workspaceId, operatorId }: Reader) {
  const workspace = uuidOfWorkspace(workspaceId)
  await tx.selectFrom('workspace').select('id').where('id', '=', workspace).forNoKeyUpdate().executeTakeFirstOrThrow()
  const { own, shared } = await tx
    .selectFrom('saved_view')
    .where('workspace_id', '=', workspace)
    .select([
      sql<string>`count(*) filter (where owner = ${operatorId})`.as('own'),
      sql<string>`count(*) filter (where shared)`.as('shared'),
    ])
    .executeTakeFirstOrThrow()
  return { own: Number(own), shared: Number(shared) }
}

/** Undefined if the owner has another view of the page with this name. */
export const createView = (
  tx: Tx,
  { workspaceId, operatorId }: Reader,
  { page, ...content }: ViewContent & { readonly page: string },
  now: Date,
): Promise<SavedView | undefined> =>
  tx
    .insertInto('saved_view')
    .values({
      id: newUuid(),
      workspace_id: uuidOfWorkspace(workspaceId),
      page,
      owner: operatorId,
      created_at: now,
      ...columnsOf(content, operatorId, now),
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'owner', 'page', 'name']).doNothing())
    .returning(COLUMNS)
    .$call(takeFirst(toView))

/** Stores a view that `lockView` has locked. False if its owner has another view of the page with this name. */
export async function updateView(tx: Tx, workspaceId: string, view: SavedView): Promise<boolean> {
  const id = uuidOrNull('viw', view.id)
  const taken = await tx
    .selectFrom('saved_view')
    .select('id')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('owner', '=', view.owner)
    .where('page', '=', view.page)
    .where('name', '=', view.name)
    .where('id', '<>', id)
    .executeTakeFirst()
  if (taken) return false
  await tx
    .updateTable('saved_view')
    .set(columnsOf(view, view.owner, view.updatedAt))
    .where('id', '=', id)
    .execute()
  return true
}

export const deleteView = (tx: Tx, id: string) => tx.deleteFrom('saved_view').where('id', '=', uuidOrNull('viw', id)).execute()

/** Deletes the views that filter by a user or search for their id or name. Call it before the user is erased. */
export const eraseViewsOfUser = (tx: Tx, workspaceId: string, userId: string) =>
  tx
    .deleteFrom('saved_view')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where(
      sql<boolean>`(query ->> 'user' = ${userId}
        or (query ->> 'scope' = 'user' and query ->> 'scopeId' = ${userId})
        or lower(query ->> 'search') in (
          select lower(unnest(array[id, username])) from workspace_user
          where workspace_id = saved_view.workspace_id and id = ${userId}))`,
    )
    .execute()

const visible = (db: Db, { workspaceId, operatorId }: Reader) =>
  db
    .selectFrom('saved_view')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where((is) => is.or([is('owner', '=', operatorId), is('shared', '=', true)]))

const columnsOf = ({ name, query, columns, shared }: ViewContent, owner: string, now: Date) => ({
  name,
  query: JSON.stringify(query),
  columns: jsonOrNull(columns),
  shared,
  private_to: !shared && owner.startsWith('opr_') ? owner : null,
  updated_at: now,
})

const toView = (row: Pick<RowOf<'saved_view'>, (typeof COLUMNS)[number]>): SavedView => ({
  ...fromRow(row),
  id: toId('viw', row.id),
})
