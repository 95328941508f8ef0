import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { fromId } from '../lib/id.ts'
import type { ApplyMode } from './ledger.ts'

const OBJECT = 'document'

/**
 * Remembers for each file of a declared folder what its document was made of last time. In mode `changed` a file that is still the
 * same is not applied again, so that a document which was deleted or replaced over the API stays so. The rows lie beside those of
 * ledger.ts; their owner is the collection.
 */
export class DocumentLedger {
  readonly #collection: string
  readonly #mode: ApplyMode
  readonly #known: Map<string, string>

  private constructor(collection: string, mode: ApplyMode, known: Map<string, string>) {
    this.#collection = collection
    this.#mode = mode
    this.#known = known
  }

  static async open(db: Db, collectionId: string, mode: ApplyMode): Promise<DocumentLedger> {
    const collection = fromId('col', collectionId) ?? ''
    const rows = await db
      .selectFrom('applied_declaration')
      .select(['name', 'hash'])
      .where('workspace_id', '=', collection)
      .where('object', '=', OBJECT)
      .execute()
    return new DocumentLedger(collection, mode, new Map(rows.map(({ name, hash: applied }) => [name, applied])))
  }

  /** Whether the file at `key`, with that SHA-256, is to be left alone, whatever has become of its document. */
  isDone(key: string, contentHash: string): boolean {
    return this.#mode === 'changed' && this.#known.get(nameOf(key)) === contentHash
  }

  /** Notes that the document is now what the file says: in the transaction that stores it, where something is stored. */
  async note(db: Db | Tx, key: string, contentHash: string, now: Date): Promise<void> {
    const name = nameOf(key)
    if (this.#known.get(name) === contentHash) return
    const applied = { hash: contentHash, applied_at: now }
    await db
      .insertInto('applied_declaration')
      .values({ workspace_id: this.#collection, object: OBJECT, name, ...applied })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'object', 'name']).doUpdateSet(applied))
      .execute()
  }
}

/** Forgets the files of collections that are no longer there. */
export async function forgetLostDocuments(db: Db): Promise<void> {
  await sql`delete from applied_declaration where object = ${OBJECT}
    and not exists (select 1 from knowledge_collection where id = applied_declaration.workspace_id)`.execute(db)
}

/** Paths may be long, and are stored with the documents only. */
const nameOf = (key: string): string => hash('sha256', key)
