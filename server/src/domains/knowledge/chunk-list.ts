import type { Db } from '../../platform/db/database.ts'
import { type Page, pageOf } from '../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { fromId, toId } from '../../platform/lib/id.ts'

/** A chunk as operators read it, independent of the document's labels. */
export interface ListedChunk {
  /** `chk_…` */
  readonly id: string
  readonly position: number
  readonly headings: readonly string[]
  readonly content: string
  readonly tokens: number
  readonly flagged: boolean
}

/** The chunks of a document from position `from` on, in reading order. Empty if there is no such document. */
export async function listChunks(
  db: Db,
  workspaceId: string,
  documentId: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<Page<ListedChunk>> {
  const document = fromId('doc', documentId)
  if (document === undefined) return { data: [], hasMore: false }
  const rows = await db
    .selectFrom('knowledge_chunk')
    .select(['id', 'position', 'headings', 'content', 'tokens', 'flagged'])
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('document_id', '=', document)
    .where('position', '>=', from)
    .orderBy('position')
    .limit(limit + 1)
    .execute()
  return pageOf(rows, { limit }, ({ id, ...chunk }) => ({ id: toId('chk', id), ...chunk }))
}
