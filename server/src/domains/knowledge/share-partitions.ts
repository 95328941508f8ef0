import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { toId } from '../../platform/lib/id.ts'
import { absorbPartition } from '../retrieval/absorb-partition.ts'
import type { Language } from '../retrieval/language.ts'
import { TOKENIZER } from '../retrieval/words.ts'
import { lockCollection } from './collection-store.ts'
import type { PartitionAccess } from './labels.ts'
import { deleteIfEmpty, sharedPlace } from './partitions.ts'

/** Far fewer than documents with equal ACLs need for a partition of their own, so that none moves to and fro. */
const SMALL_PARTITION_ENTRIES = 250

interface SmallPartition {
  readonly id: number
  readonly language: Language
  readonly access: PartitionAccess
  readonly workspace: string
  readonly collection: string
}

/**
 * Moves the documents of one small partition of any Workspace to the shared partition of rare ACLs. A former release gave each ACL a partition,
 * and documents leave partitions; a search reads each that it may see. Changes no ranking. Returns the id of the partition, after which the next
 * call continues, because a scan from the start would pass all rows that were just deleted; undefined: there is none.
 */
export async function shareSmallPartition(
  db: Db,
  { after = 0, small = SMALL_PARTITION_ENTRIES }: { readonly after?: number | undefined; readonly small?: number } = {},
): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    const due = await findSmall(tx, small, sql`own.id > ${after}`)
    if (!due) return undefined
    const collection = await lockCollection(tx, toId('ws', due.workspace), toId('col', due.collection))
    // It may have grown, or another node may have moved it, before the collection was locked.
    const partition = collection && (await findSmall(tx, small, sql`own.id = ${due.id}`))
    if (!partition) return due.id
    const { id, access, language, workspace } = partition
    const place = await sharedPlace(tx, { ...collection, language }, access)
    await absorbPartition(tx, partition, place.partition, place.labels)
    for (const table of ['knowledge_document', 'knowledge_chunk'] as const) {
      await tx
        .updateTable(table)
        .set({ partition_id: place.partition.id })
        .where('workspace_id', '=', workspace)
        .where('partition_id', '=', id)
        .execute()
    }
    await deleteIfEmpty(tx, collection.workspaceId, id)
    return id
  })
}

/** Not one with entries that an older tokenizer has indexed: a job indexes them again first. */
async function findSmall(tx: Tx, small: number, chosen: RawBuilder<unknown>): Promise<SmallPartition | undefined> {
  const open = sql`('null'::jsonb, '{"everyone": true}'::jsonb)`
  const { rows } = await sql<SmallPartition>`
    select own.id, own.language, own.access, own.workspace_id as workspace, own.collection_id as collection
    from knowledge_partition as own
    join retrieval_partition as partition on partition.id = own.id
    join knowledge_collection as collection on collection.id = own.collection_id
    where collection.removed_at is null and own.document_id is null and not own.access ? 'shared' and partition.entries < ${small}
      and (own.access -> 'acl' not in ${open} or own.access -> 'limits' -> 'acl' not in ${open})
      and not exists (select from retrieval_entry as entry where entry.partition_id = own.id and tokenizer < ${sql.lit(TOKENIZER)})
      and ${chosen}
    order by own.id limit 1`.execute(tx)
  return rows[0]
}

/** Moves the documents of all of them, a partition in a transaction. */
export async function shareSmallPartitions(db: Db, small?: number): Promise<void> {
  let after: number | undefined = 0
  while (after !== undefined) after = await shareSmallPartition(db, { after, ...(small !== undefined && { small }) })
}
