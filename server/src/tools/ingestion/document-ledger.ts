import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { fromId } from '../../platform/lib/id.ts'
import type { ApplyMode } from '../setup/ledger.ts'

const OBJECT = 'document'

/**
 * Stores the content hash of each applied file of a declared folder. In mode `changed` an unchanged file is not applied again, so that
 * a document that was deleted or replaced over the API stays so. The rows share the table of ledger.ts; their owner is the collection.
 */
export class DocumentLedger {
  readonly #collection: string
  readonly #mode: ApplyMode
  readonly #hashes: Map<string, string>

  private constructor(collection: string, mode: ApplyMode, hashes: Map<string, string>) {
    this.#collection = collection
    this.#mode = mode
    this.#hashes = hashes
  }

  static async open(db: Db, collectionId: string, mode: ApplyMode): Promise<DocumentLedger> {
    const collection = fromId('col', collectionId) ?? ''
    const rows = await db
      .selectFrom('applied_declaration')
      .select(['name', 'hash'])
      .where('workspace_id', '=', collection)
      .where('object', '=', OBJECT)
      .execute()
    return new DocumentLedger(collection, mode, new Map(rows.map(({ name, hash: contentHash }) => [name, contentHash])))
  }

  /** Whether the file with this key and SHA-256 is already applied and must be skipped, whatever its document is now. */
  isApplied(key: string, contentHash: string): boolean {
    return this.#mode === 'changed' && this.#hashes.get(nameOf(key)) === contentHash
  }

  /** Records that the file is applied. If the document is stored, call it in the same transaction. */
  async recordApplied(db: Db | Tx, key: string, contentHash: string, now: Date): Promise<void> {
    const name = nameOf(key)
    if (this.#hashes.get(name) === contentHash) return
    const applied = { hash: contentHash, applied_at: now }
    await db
      .insertInto('applied_declaration')
      .values({ workspace_id: this.#collection, object: OBJECT, name, ...applied })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'object', 'name']).doUpdateSet(applied))
      .execute()
  }
}

/** Deletes the entries of deleted collections. */
export async function deleteOrphanedEntries(db: Db): Promise<void> {
  await sql`delete from applied_declaration where object = ${OBJECT}
    and not exists (select 1 from knowledge_collection where id = applied_declaration.workspace_id)`.execute(db)
}

/** A hash, because paths may be long. */
const nameOf = (key: string): string => hash('sha256', key)
