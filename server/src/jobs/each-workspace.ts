import { listWorkspaces } from '../applications/workspace-store.ts'
import type { Db } from '../db/database.ts'

const PAGE = 100

export async function workspaceIds(db: Db): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await listWorkspaces(db, { limit: PAGE, ...(after && { after }) })
    ids.push(...(page?.data ?? []).map(({ id }) => id))
    after = ids.at(-1)
    if (!page?.hasMore) return ids
  }
}

/** One Workspace's fault keeps the others from nothing; it is thrown once all had their turn. */
export async function eachOf(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const faults: unknown[] = []
  for (const id of ids) await work(id).catch((fault) => faults.push(fault))
  if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults, `${faults.length} Workspaces failed`)
}
