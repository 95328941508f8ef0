import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { findWorkspaceByName } from '../../domains/identity/workspace-store.ts'
import { findCollectionByName } from '../../domains/knowledge/collection-store.ts'
import type { Db } from '../../platform/db/database.ts'
import { fromId } from '../../platform/lib/id.ts'
import type { Declaration } from '../setup/declaration.ts'
import { type ApplyMode, findDeclaredWorkspace, storeHash } from '../setup/ledger.ts'
import { type DocumentLedger, type FileOutcome, type FolderDeps, ingestFolder } from './ingest-folder.ts'
import { Tally } from './tally.ts'

interface FolderResult {
  readonly collection: string
  readonly tally: Tally
  /** Set if the ingestion stopped early, for example because the folder or the collection is missing. */
  readonly fault?: Error
}

/** Can be repeated. Documents without a file stay, and so do collections that the declaration no longer names. */
export async function* ingestFolders(
  deps: FolderDeps,
  { workspaces }: Pick<Declaration, 'workspaces'>,
  onFile: (collection: string, outcome: FileOutcome) => void,
  { mode, signal }: { readonly mode: ApplyMode; readonly signal?: AbortSignal },
): AsyncGenerator<FolderResult> {
  const { db } = deps.database
  await deleteOrphanedEntries(db)
  for (const { name, collections = [] } of workspaces) {
    const workspace = (await findWorkspaceByName(db, name)) ?? (await findDeclaredWorkspace(db, name))
    for (const { name: collection, folder: path } of collections) {
      if (path === undefined || !workspace || signal?.aborted) continue
      const stored = await findCollectionByName(db, workspace.id, collection)
      if (!stored) continue
      const tally = new Tally()
      try {
        const ledger = await openDocumentLedger(db, stored.id, mode)
        const folder = { path, workspaceId: workspace.id, collectionId: stored.id, ledger }
        for await (const outcome of ingestFolder(deps, folder, signal)) {
          tally.add(outcome)
          onFile(collection, outcome)
        }
        yield { collection, tally }
      } catch (cause) {
        yield { collection, tally, fault: cause as Error }
      }
    }
  }
}

export const hasFolders = ({ workspaces }: Pick<Declaration, 'workspaces'>): boolean =>
  workspaces.some(({ collections = [] }) => collections.some(({ folder }) => folder !== undefined))

/** In mode `changed`, an unchanged file is not applied again, so that a document that was deleted or replaced over the API stays so. */
async function openDocumentLedger(db: Db, collectionId: string, mode: ApplyMode): Promise<DocumentLedger> {
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

async function deleteOrphanedEntries(db: Db): Promise<void> {
  await sql`delete from applied_declaration where object = 'document'
    and not exists (select 1 from knowledge_collection where id = applied_declaration.workspace_id)`.execute(db)
}

/** A hash, because paths may be long. */
const nameOf = (key: string): string => hash('sha256', key)
