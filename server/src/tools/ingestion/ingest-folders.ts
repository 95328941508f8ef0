import { findWorkspaceByName } from '../../domains/identity/workspace-store.ts'
import { findCollectionByName } from '../../domains/knowledge/collection-store.ts'
import type { Declaration } from '../setup/declaration.ts'
import { type ApplyMode, findDeclaredWorkspace } from '../setup/ledger.ts'
import { deleteOrphanedEntries, openDocumentLedger } from './document-ledger.ts'
import { type FileOutcome, type FolderDeps, ingestFolder } from './ingest-folder.ts'
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
