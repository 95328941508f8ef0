import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { fromRow } from '../../platform/db/from-row.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { Classification } from '../../shared/classification.ts'
import type { Entry } from '../retrieval/entries.ts'
import type { Ranked } from '../retrieval/rank.ts'
import type { SourceText } from '../retrieval/semantic/embed-missing.ts'
import { type ListedChunk, positionInDocument, searchEntry } from './chunk-store.ts'
import type { KnowledgeDocument } from './document-store.ts'
import { type Access, effectiveRegulations } from './labels.ts'
import type { LabelledPartition } from './partitions.ts'
import { labelsIn } from './partitions.ts'

/** A chunk as shown to a user that may see it. */
export interface Passage extends Omit<ListedChunk, 'tokens'>, Pick<KnowledgeDocument, 'title' | 'source' | 'updatedAt'> {
  /** `doc_…` */
  readonly documentId: string
  /** Name of the collection. */
  readonly collection: string
  readonly collectionId: string
  readonly classification: Classification
  readonly regulations: readonly string[]
  readonly similarity: number
}

/** Loads the ranked chunks in their order, each with its partition and the labels of its document, without chunks that have left these partitions since. */
export async function loadPassages(
  db: Db,
  workspaceId: string,
  visible: readonly LabelledPartition[],
  ranked: readonly Ranked[],
): Promise<readonly { readonly passage: Passage; readonly partition: LabelledPartition; readonly access: Access }[]> {
  const workspace = uuidOfWorkspace(workspaceId)
  const partitions = new Map(visible.map((partition) => [partition.id, partition]))
  const rows = await db
    .selectFrom('knowledge_chunk as chunk')
    .innerJoin('knowledge_document as document', (join) =>
      join.onRef('document.id', '=', 'chunk.document_id').onRef('document.partition_id', '=', 'chunk.partition_id'),
    )
    .where('chunk.workspace_id', '=', workspace)
    .where('document.workspace_id', '=', workspace)
    .where(sql<boolean>`chunk.id = any(${ranked.map(({ id }) => id)}::uuid[])`)
    .where(sql<boolean>`chunk.partition_id = any(${[...partitions.keys()]}::bigint[])`)
    .select(['chunk.id', 'document_id', positionInDocument, 'headings', 'content', 'flagged', 'chunk.partition_id'])
    .select(['title', 'source', 'regulations', 'limits', 'document.updated_at'])
    .select(['document.classification', 'document.acl'])
    .execute()
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  return ranked.flatMap(({ id, similarity }) => {
    const row = rowsById.get(id)
    const partition = row && partitions.get(row.partition_id)
    if (!partition) return []
    const { partition_id: _, limits, classification: own, acl, ...shown } = row
    const { collection, classification } = partition
    const passage = {
      ...fromRow(shown, { id: 'chk', document_id: 'doc' }),
      ...splitHeadings(row.content, row.headings),
      ...{ collection: collection.name, collectionId: collection.id, classification, similarity },
      regulations: effectiveRegulations(collection, row, limits),
    }
    return { passage, partition, access: { classification: own, acl, limits } }
  })
}

/** The search entries of chunks. Only for jobs, which work for all Workspaces: the query is not limited to one Workspace. */
export async function loadChunkEntries(db: Db, ids: readonly string[]): Promise<readonly Entry[]> {
  return (await readChunks(db, ids)).map((row) => ({ ...searchEntry(row.title, row), labels: labelsIn(row.access, row) }))
}

const readChunks = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('knowledge_chunk as chunk')
    .innerJoin('knowledge_document as document', 'document.id', 'chunk.document_id')
    .innerJoin('knowledge_partition as partition', 'partition.id', 'chunk.partition_id')
    .where(sql<boolean>`chunk.id = any(${[...ids]}::uuid[])`)
    .select([
      'chunk.id',
      'title',
      'headings',
      'content',
      'classification',
      'acl',
      'limits',
      'access',
      'chunk.document_id',
      'version',
    ])
    .execute()

/** The texts to embed for chunks, by UUID. */
export async function loadChunkTexts(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, SourceText>> {
  return new Map(
    (await readChunks(db, ids)).map((row) => {
      const { id, title, text } = searchEntry(row.title, row)
      return [id, { text: `${title}\n\n${text}`, source: { id: toId('doc', row.document_id), version: row.version } }]
    }),
  )
}

/** A longer line is not a heading (chunking/blocks.ts). */
const MAX_LINE = 400
const MARK = /^#{1,6} +/

/** Moves the headings at the start of a chunk's text into its list of headings. */
export function splitHeadings(content: string, path: readonly string[]): Pick<Passage, 'headings' | 'content'> {
  const headings = [...path]
  let text = content
  for (;;) {
    const end = text.slice(0, MAX_LINE).indexOf('\n')
    const mark = end < 0 ? undefined : MARK.exec(text.slice(0, end))?.[0]
    const rest = text.slice(end).replace(/^\n+/, '')
    if (mark === undefined || rest === '') return { headings, content: text }
    const heading = withoutClosingMarks(text.slice(mark.length, end))
    if (!headings.includes(heading)) headings.push(heading)
    text = rest
  }
}

/** `Name ##` is `Name`. */
function withoutClosingMarks(line: string): string {
  const text = line.trimEnd()
  const name = text.replace(/#+$/, '')
  return name !== text && name.endsWith(' ') ? name.trimEnd() : text
}
