import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { fromId } from '../../platform/lib/id.ts'
import { type ApplyMode, storeHash } from '../setup/ledger.ts'

export interface DocumentLedger {
  /** Whether the file with this key and SHA-256 is already applied and must be skipped, whatever its document is now. */
  readonly isApplied: (key: string, contentHash: string) => boolean
  readonly recordApplied: (db: Db, key: string, contentHash: string, now: Date) => Promise<void>
}

/** In mode `changed`, an unchanged file is not applied again, so that a document that was deleted or replaced over the API stays so. */
export async function openDocumentLedger(db: Db, collectionId: string, mode: ApplyMode): Promise<DocumentLedger> {
  const owner = { workspace_id: fromId('col', collectionId) ?? '', object: 'document' } as const
  const rows = await db
    .selectFrom('applied_declaration')
    .select(['name', 'hash'])
    .where('workspace_id', '=', owner.workspace_id)
    .where('object', '=', owner.object)
    .execute()
  const hashes = new Map(rows.map(({ name, hash: contentHash }) => [name, contentHash]))
  return {
    isApplied: (key, contentHash) => mode === 'changed' && hashes.get(nameOf(key)) === contentHash,
    recordApplied: async (tx, key, contentHash, now) => {
      const name = nameOf(key)
      if (hashes.get(name) !== contentHash) await storeHash(tx, { ...owner, name }, contentHash, now)
    },
  }
}

export async function deleteOrphanedEntries(db: Db): Promise<void> {
  await sql`delete from applied_declaration where object = 'document'
    and not exists (select 1 from knowledge_collection where id = applied_declaration.workspace_id)`.execute(db)
}

/** A hash, because paths may be long. */
const nameOf = (key: string): string => hash('sha256', key)
