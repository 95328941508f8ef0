import type { Db, Tx } from '../../platform/db/database.ts'
import { type Entity, fromRow, type RowOf } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { newUuid } from '../../platform/lib/id.ts'

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

export type PolicyDraftSummary = Entity<'policy_draft', (typeof SUMMARY)[number]>
export type PolicyDraft = PolicyDraftSummary & { readonly source: string }

export type NewDraft = Pick<PolicyDraft, 'title' | 'note' | 'source' | 'baseId' | 'author'>

/** Newest first. Undefined if `page.after` is not an id. */
export const listDrafts = (db: Db, workspaceId: string, page: PageRequest): Promise<Page<PolicyDraftSummary> | undefined> =>
  pageById(drafts(db, workspaceId).select(SUMMARY), 'pdr', page, toSummary, { order: 'desc' })

export const findDraft = async (db: Db, workspaceId: string, id: string): Promise<PolicyDraft | undefined> =>
  toDraft(await draftOf(db, workspaceId, id).executeTakeFirst())

export const lockDraft = async (tx: Tx, workspaceId: string, id: string): Promise<PolicyDraft | undefined> =>
  toDraft(await draftOf(tx, workspaceId, id).forUpdate().executeTakeFirst())

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
      base_id: baseId && uuidOrNull('pol', baseId),
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

export async function updateDraft(tx: Tx, workspaceId: string, draft: PolicyDraft): Promise<void> {
  const { id, title, note, source, baseId, editedBy, revision, updatedAt, recordedAt } = draft
  await tx
    .updateTable('policy_draft')
    .set({
      title,
      note,
      source,
      base_id: baseId && uuidOrNull('pol', baseId),
      edited_by: editedBy,
      revision,
      updated_at: updatedAt,
      recorded_at: recordedAt,
    })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('pdr', id))
    .execute()
}

/** False if the Workspace has no such draft. `source`: a draft that has been edited since stays. */
export async function deleteDraft(tx: Tx, workspaceId: string, id: string, source?: string): Promise<boolean> {
  let query = tx
    .deleteFrom('policy_draft')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('pdr', id))
  if (source !== undefined) query = query.where('source', '=', source)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}

const drafts = (db: Db, workspaceId: string) =>
  db.selectFrom('policy_draft').where('workspace_id', '=', uuidOfWorkspace(workspaceId))

const draftOf = (db: Db, workspaceId: string, id: string) =>
  drafts(db, workspaceId)
    .select([...SUMMARY, 'source'])
    .where('id', '=', uuidOrNull('pdr', id))

type SummaryRow = Pick<RowOf<'policy_draft'>, (typeof SUMMARY)[number]>

const toSummary = (row: SummaryRow): PolicyDraftSummary => fromRow(row, { id: 'pdr', base_id: 'pol' })

const toDraft = (row: (SummaryRow & { source: string }) | undefined) => row && { ...toSummary(row), source: row.source }
