import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import type { PolicyDraftTable } from './tables.ts'

/** A draft without its document. Ids are TypeIDs (`pdr_…`). */
export interface PolicyDraftSummary {
  readonly id: string
  readonly title: string
  readonly note: string
  /** The version that publishing the draft replaces; null: the Workspace had none. */
  readonly baseId: string | null
  /** Ids of operators or admin tokens. */
  readonly author: string
  readonly editedBy: string
  readonly revision: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly recordedAt: Date
}

export interface PolicyDraft extends PolicyDraftSummary {
  readonly source: string
}

export type NewDraft = Pick<PolicyDraft, 'title' | 'note' | 'source' | 'baseId' | 'author'>

/** Newest first. Undefined if `page.after` is not an id. */
export const listDrafts = (db: Db, workspaceId: string, page: PageRequest): Promise<Page<PolicyDraftSummary> | undefined> =>
  pageById(drafts(db, workspaceId).select(SUMMARY), 'pdr', page, toSummary, { order: 'desc' })

export async function findDraft(db: Db, workspaceId: string, id: string): Promise<PolicyDraft | undefined> {
  const uuid = fromId('pdr', id)
  if (uuid === undefined) return undefined
  const row = await drafts(db, workspaceId)
    .select([...SUMMARY, 'source'])
    .where('id', '=', uuid)
    .executeTakeFirst()
  return row && { ...toSummary(row), source: row.source }
}

export async function lockDraft(tx: Tx, workspaceId: string, id: string): Promise<PolicyDraft | undefined> {
  const uuid = fromId('pdr', id)
  if (uuid === undefined) return undefined
  await drafts(tx, workspaceId).select('id').where('id', '=', uuid).forUpdate().execute()
  return findDraft(tx, workspaceId, id)
}

export async function countDrafts(tx: Tx, workspaceId: string): Promise<number> {
  const { count } = await drafts(tx, workspaceId)
    .select((of) => of.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function createDraft(tx: Tx, workspaceId: string, draft: NewDraft, now: Date): Promise<PolicyDraft> {
  const { title, note, source, baseId, author } = draft
  const row = await tx
    .insertInto('policy_draft')
    .values({
      id: newUuid(),
      workspace_id: uuidOfWorkspace(workspaceId),
      title,
      note,
      source,
      base_id: baseId && (fromId('pol', baseId) ?? null),
      author,
      edited_by: author,
      revision: 1,
      created_at: now,
      updated_at: now,
      recorded_at: now,
    })
    .returning(SUMMARY)
    .executeTakeFirstOrThrow()
  return { ...toSummary(row), source }
}

/** Stores a draft that `lockDraft` has locked, as its next revision. */
export async function updateDraft(tx: Tx, workspaceId: string, draft: PolicyDraft): Promise<void> {
  const { id, title, note, source, baseId, editedBy, revision, updatedAt, recordedAt } = draft
  await tx
    .updateTable('policy_draft')
    .set({
      title,
      note,
      source,
      base_id: baseId && (fromId('pol', baseId) ?? null),
      edited_by: editedBy,
      revision,
      updated_at: updatedAt,
      recorded_at: recordedAt,
    })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', fromId('pdr', id) ?? null)
    .execute()
}

/** False if the Workspace has no such draft. `source`: a draft that has been edited since stays. */
export async function deleteDraft(tx: Tx, workspaceId: string, id: string, source?: string): Promise<boolean> {
  let query = tx
    .deleteFrom('policy_draft')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', fromId('pdr', id) ?? null)
  if (source !== undefined) query = query.where('source', '=', source)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

const SUMMARY = [
  'id',
  'title',
  'note',
  'base_id',
  'author',
  'edited_by',
  'revision',
  'created_at',
  'updated_at',
  'recorded_at',
] as const

const drafts = (db: Db, workspaceId: string) =>
  db.selectFrom('policy_draft').where('workspace_id', '=', uuidOfWorkspace(workspaceId))

const toSummary = (row: Pick<Selectable<PolicyDraftTable>, (typeof SUMMARY)[number]>): PolicyDraftSummary => ({
  id: toId('pdr', row.id),
  title: row.title,
  note: row.note,
  baseId: row.base_id && toId('pol', row.base_id),
  author: row.author,
  editedBy: row.edited_by,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  recordedAt: row.recorded_at,
})
