import type { Db } from '../db/database.ts'
import { findApplication, findApplicationByName } from './application-store.ts'

export type ResolvedApplications =
  | { readonly ok: true; readonly ids: readonly string[] }
  | { readonly ok: false; readonly index: number }

/** The ids of Applications that are given by id or by name; `index` is that of the first that the Workspace does not have. */
export async function resolveApplications(db: Db, workspaceId: string, given: readonly string[]): Promise<ResolvedApplications> {
  const ids = new Set<string>()
  for (const [index, one] of given.entries()) {
    const found = (await findApplication(db, workspaceId, one)) ?? (await findApplicationByName(db, workspaceId, one))
    if (!found) return { ok: false, index }
    ids.add(found.id)
  }
  return { ok: true, ids: [...ids].sort() }
}
