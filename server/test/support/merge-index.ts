import { mergePending, purgeRemoved } from '../../src/domains/retrieval/merge.ts'
import type { Db } from '../../src/platform/db/database.ts'

/** Brings all changes into the lists of the search index, as a job does, which tests do not start. */
export async function mergeIndex(db: Db): Promise<void> {
  while (await mergePending(db, 100));
  while (await purgeRemoved(db, 100));
}
