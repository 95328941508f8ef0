import type { Db } from '../../platform/db/database.ts'
import { findApplication, findApplicationByName } from './application-store.ts'

export type ResolvedApplications =
  | { readonly ok: true; readonly ids: readonly string[] }
  | { readonly ok: false; readonly index: number }

/** Finds Applications by id or name and returns their sorted ids. `index`: the first reference that the Workspace does not have. */
export async function resolveApplications(
  db: Db,
  workspaceId: string,
  references: readonly string[],
): Promise<ResolvedApplications> {
  const ids = new Set<string>()
  for (const [index, reference] of references.entries()) {
    const found = (await findApplication(db, workspaceId, reference)) ?? (await findApplicationByName(db, workspaceId, reference))
    if (!found) return { ok: false, index }
    ids.add(found.id)
  }
  return { ok: true, ids: [...ids].sort() }
}
