import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { type Page, pageOf } from '../../platform/db/page.ts'
import { uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { newUuid, toId } from '../../platform/lib/id.ts'
import { addEntries, addHidden, type CountedText, type Entry, removeEntries } from '../retrieval/entries.ts'
import { termsOf } from '../retrieval/packed-terms.ts'
import type { Partition } from '../retrieval/partition.ts'
import type { Chunk } from './chunking/chunk.ts'
import { declaredNames } from './chunking/declared-names.ts'
import type { Place } from './partitions.ts'

/** A chunk, and whether the detectors found instructions in it. */
export type ScannedChunk = Chunk & { readonly flagged: boolean }

/** A chunk that is stored, with the terms of its search entry if they were counted before. */
export type NewChunk = ScannedChunk & { readonly counted?: CountedText }

/** The document that owns the chunks. Ids are UUIDs. */
type ChunkOwner = { readonly workspace: string; readonly document: string; readonly title: string }

/** The search entry of a chunk, with the names that its code declares as titles. Its embedding is computed from the same texts. */
export const searchEntry = (
  title: string,
  { id, headings, content }: Pick<Chunk, 'headings' | 'content'> & { id: string },
): Entry => ({
  id,
  title: [title, ...headings, ...declaredNames(content)].join('\n'),
  text: content,
})

/** Stores chunks of a document, and indexes them. Their positions are stored as distances from `firstPosition`. */
export async function addChunks(
  tx: Tx,
  owner: ChunkOwner,
  { partition, labels, firstPosition = 0 }: Place & { readonly firstPosition?: number },
  chunks: readonly NewChunk[],
): Promise<void> {
  const stored = await insertChunks(tx, owner, { partitionId: partition.id, firstPosition }, chunks)
  await addEntries(
    tx,
    partition,
    stored.map((chunk) => ({ ...entryOf(owner, chunk), labels })),
  )
}

/** Stores chunks of a document in a partition that no search reads yet. */
export async function addHiddenChunks(
  tx: Tx,
  owner: ChunkOwner,
  { partition, firstPosition }: { readonly partition: Partition; readonly firstPosition: number },
  chunks: readonly NewChunk[],
): Promise<void> {
  const stored = await insertChunks(tx, owner, { partitionId: partition.id, firstPosition }, chunks)
  await addHidden(
    tx,
    partition,
    stored.map((chunk) => entryOf(owner, chunk)),
  )
}

const entryOf = ({ title }: ChunkOwner, chunk: NewChunk & { readonly id: string }): Entry => ({
  ...searchEntry(title, chunk),
  counted: chunk.counted,
})

async function insertChunks(
  tx: Tx,
  owner: ChunkOwner,
  { partitionId, firstPosition }: { readonly partitionId: number; readonly firstPosition: number },
  chunks: readonly NewChunk[],
): Promise<readonly (NewChunk & { readonly id: string })[]> {
  const withIds = chunks.map((chunk) => ({ id: newUuid(), ...chunk }))
  await sql`
    insert into knowledge_chunk (workspace_id, document_id, partition_id, id, position, headings, content, tokens, flagged)
    select ${owner.workspace}, ${owner.document}, ${partitionId}, added.* from unnest(
      ${withIds.map(({ id }) => id)}::uuid[],
      ${withIds.map(({ position }) => firstPosition + position)}::integer[],
      ${withIds.map(({ headings }) => JSON.stringify(headings))}::jsonb[],
      ${withIds.map(({ content }) => content)}::text[],
      ${withIds.map(({ tokens }) => tokens)}::integer[],
      ${withIds.map(({ flagged }) => flagged)}::boolean[]
    ) as added`.execute(tx)
  return withIds
}

/** Removes the chunks of a document that are in a partition, with their index entries. */
export async function removeChunks(tx: Tx, workspace: string, document: string, partitionId: number): Promise<void> {
  const removed = await tx
    .deleteFrom('knowledge_chunk')
    .where('workspace_id', '=', workspace)
    .where('document_id', '=', document)
    .where('partition_id', '=', partitionId)
    .returning('id')
    .execute()
  const ids = removed.map(({ id }) => id)
  await removeEntries(tx, ids)
}

/** Moves the chunks of a document from one place to another, or changes their labels there. */
export async function moveChunks(
  tx: Tx,
  { workspace, document, title }: ChunkOwner,
  from: number,
  { partition, labels }: Place,
): Promise<void> {
  const moved = await tx
    .updateTable('knowledge_chunk')
    .set({ partition_id: partition.id })
    .where('workspace_id', '=', workspace)
    .where('document_id', '=', document)
    .where('partition_id', '=', from)
    .returning(['id', 'position', 'headings', 'content'])
    .execute()
  moved.sort((a, b) => a.position - b.position)
  const entries = moved.map((chunk) => ({ ...searchEntry(title, chunk), labels }))
  const ids = entries.map(({ id }) => id)
  await removeEntries(tx, ids)
  await addEntries(tx, partition, entries)
}

/** A chunk as operators read it, with `chk_…`. */
export type ListedChunk = ScannedChunk & { readonly id: string }

/** The chunks of a document from position `from` on, in reading order. Empty if there is no such document. */
export async function listChunks(
  db: Db,
  workspaceId: string,
  documentId: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<Page<ListedChunk>> {
  const rows = await activeChunks(db, workspaceId, documentId)
    .select(['chunk.id', positionInDocument, 'headings', 'content', 'tokens', 'flagged'])
    .where('position', '>=', ({ eb, ref }) => eb(ref('first_position'), '+', from))
    .orderBy('chunk.position')
    .limit(limit + 1)
    .execute()
  return pageOf(rows, { limit }, ({ id, ...chunk }) => ({ id: toId('chk', id), ...chunk }))
}

/** The chunks of the active version of a document. */
const activeChunks = (db: Db, workspaceId: string, documentId: string) =>
  db
    .selectFrom('knowledge_chunk as chunk')
    .innerJoin('knowledge_document as document', (join) =>
      join.onRef('document.id', '=', 'chunk.document_id').onRef('document.partition_id', '=', 'chunk.partition_id'),
    )
    .where('chunk.workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('document.workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('document.id', '=', uuidOrNull('doc', documentId))

/** For a query of `knowledge_chunk` as `chunk` with its `knowledge_document`. */
export const positionInDocument = sql<number>`chunk.position - first_position`.as('position')

/** The distinct terms of a document, as the index has them. */
export async function termsOfDocument(db: Db, workspaceId: string, documentId: string): Promise<ReadonlySet<string>> {
  const rows = await activeChunks(db, workspaceId, documentId)
    .innerJoin('retrieval_entry as entry', 'entry.id', 'chunk.id')
    .select(['terms', 'packed'])
    .execute()
  return new Set(rows.flatMap(termsOf))
}

/** The documents of chunks, by chunk. All ids are UUIDs. */
export async function documentsOf(db: Db, workspace: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('knowledge_chunk')
    .select(['id', 'document_id'])
    .where('workspace_id', '=', workspace)
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, document_id }) => [id, document_id]))
}
