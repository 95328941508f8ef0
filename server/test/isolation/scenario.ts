import { createRanker } from '../../src/domains/retrieval/rank.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { fromId } from '../../src/platform/lib/id.ts'
import { SHARED_SCOPES } from '../../src/shared/memory-words.ts'
import { ANONYMOUS_USER } from '../../src/shared/principal.ts'
import type { Viewer } from '../../src/shared/viewer.ts'
import type { StoreCalls } from './store-calls.ts'

export const NOW = new Date('2026-03-02T09:00:00Z')
export const PAGE = { limit: 10 }

/** Denies nothing, after reading all labels. */
export const ALL_ALLOWED = { reads: new Set(['document', 'kind']), denies: () => false, pause: async () => {} }

export type Owner = { readonly workspaceId: string; readonly applicationId: string }

export type Scenario = ReturnType<typeof createScenario>

export function createScenario(
  { db, pool }: Database,
  { workspaceId, applicationId }: Owner,
  call: StoreCalls['call'],
  keys: Set<string>,
) {
  const user = { ...ANONYMOUS_USER, id: 'mara', department: 'hangar', attributes: { projects: ['apollo'] } }
  const viewer: Viewer = {
    workspaceId,
    applicationId,
    user,
    sessionId: 'morning',
    ceiling: 'restricted',
    assertionScopes: SHARED_SCOPES,
  }
  return {
    db,
    pool,
    call,
    keys,
    workspaceId,
    applicationId,
    viewer,
    uuid: String(fromId('ws', workspaceId)),
    ranker: createRanker(),
    transact: <T>(work: (tx: unknown, now: Date) => Promise<T>) => db.transaction().execute((tx) => work(tx, NOW)),
  }
}
