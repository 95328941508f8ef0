import type { Tx } from '../db/database.ts'
import { newUuid } from '../lib/id.ts'
import { addEntries, type Entry, removeEntries } from '../retrieval/entries.ts'
import type { Partition } from '../retrieval/partition.ts'
import type { Chunk } from './chunking/chunk.ts'

/** A chunk, and whether instructions were found in it. */
export type ReadChunk = Chunk & { readonly flagged: boolean }

/** Whose chunks they are; ids are UUIDs. */
export interface Holder {
  readonly workspace: string
  readonly document: string
  readonly title: string
}

/** Rows of one statement: PostgreSQL takes 65,535 parameters. */
const ROWS = 1_000

/** What a chunk is found by; its embedding is made of the same. */
export const entryOf = (
  title: string,
  { id, headings, content }: Pick<Chunk, 'headings' | 'content'> & { id: string },
): Entry => ({
  id,
  title: [title, ...headings].join('\n'),
  text: content,
})

/** Stores the chunks of a document that has none, and makes them findable. */
export async function addChunks(tx: Tx, holder: Holder, partition: Partition, chunks: readonly ReadChunk[]): Promise<void> {
  const named = chunks.map((chunk) => ({ id: newUuid(), ...chunk }))
  for (let from = 0; from < named.length; from += ROWS) {
    const rows = named.slice(from, from + ROWS).map(({ id, position, headings, content, tokens, flagged }) => ({
      id,
      workspace_id: holder.workspace,
      document_id: holder.document,
      position,
      headings: JSON.stringify(headings),
      content,
      tokens,
      flagged,
      partition_id: partition.id,
    }))
    await tx.insertInto('knowledge_chunk').values(rows).execute()
  }
  await addEntries(
    tx,
    partition,
    named.map((chunk) => entryOf(holder.title, chunk)),
  )
}

/** Removes every chunk of these documents, and whatever finds them. */
export async function removeChunks(tx: Tx, workspace: string, documents: readonly string[]): Promise<void> {
  if (documents.length === 0) return
  const removed = await tx
    .deleteFrom('knowledge_chunk')
    .where('workspace_id', '=', workspace)
    .where('document_id', 'in', documents)
    .returning('id')
    .execute()
  await removeEntries(
    tx,
    removed.map(({ id }) => id),
  )
}

/** Lets others see the chunks of a document: those that see this partition. */
export async function moveChunks(tx: Tx, { workspace, document, title }: Holder, partition: Partition): Promise<void> {
  const moved = await tx
    .updateTable('knowledge_chunk')
    .set({ partition_id: partition.id })
    .where('workspace_id', '=', workspace)
    .where('document_id', '=', document)
    .returning(['id', 'position', 'headings', 'content'])
    .execute()
  moved.sort((a, b) => a.position - b.position)
  await removeEntries(
    tx,
    moved.map(({ id }) => id),
  )
  await addEntries(
    tx,
    partition,
    moved.map((chunk) => entryOf(title, chunk)),
  )
}
