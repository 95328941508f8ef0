import { findWorkspaceByName } from '../applications/workspace-store.ts'
import { findCollectionByName } from '../knowledge/collection-store.ts'
import type { Declaration } from './declaration.ts'
import { DocumentLedger, forgetLostDocuments } from './document-ledger.ts'
import { type FileOutcome, type FolderDeps, ingestFolder } from './ingest-folder.ts'
import { type ApplyMode, findDeclaredWorkspace } from './ledger.ts'
import { Tally } from './tally.ts'

/** What has become of a folder that a collection is declared with. */
export interface FolderReading {
  /** Name of the collection. */
  readonly collection: string
  readonly tally: Tally
  /** Set when the reading came to an early end: the folder, or the collection, is gone. */
  readonly fault?: Error
}

interface Options {
  /** `changed`: only files that are not as they were when they were last applied. */
  readonly mode: ApplyMode
  readonly signal?: AbortSignal
}

/**
 * Reads the folders that a declaration names into their collections, once it is applied. Again and again: files that are there with the
 * same content change nothing. Documents whose files are gone stay, as does whatever a declaration no longer names.
 */
export async function* ingestFolders(
  deps: FolderDeps,
  { workspaces }: Pick<Declaration, 'workspaces'>,
  onFile: (collection: string, outcome: FileOutcome) => void,
  { mode, signal }: Options,
): AsyncGenerator<FolderReading> {
  const { db } = deps.database
  await forgetLostDocuments(db)
  for (const { name, collections = [] } of workspaces) {
    const workspace = (await findWorkspaceByName(db, name)) ?? (await findDeclaredWorkspace(db, name))
    for (const { name: collection, folder: path } of collections) {
      if (path === undefined || !workspace || signal?.aborted) continue
      const found = await findCollectionByName(db, workspace.id, collection)
      if (!found) continue
      const tally = new Tally()
      try {
        const ledger = await DocumentLedger.open(db, found.id, mode)
        const folder = { path, workspaceId: workspace.id, collectionId: found.id, ledger }
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

/** Whether there is anything to read at all. */
export const namesFolders = ({ workspaces }: Pick<Declaration, 'workspaces'>): boolean =>
  workspaces.some(({ collections = [] }) => collections.some(({ folder }) => folder !== undefined))
