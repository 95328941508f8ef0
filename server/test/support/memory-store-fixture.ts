import { createHmac } from 'node:crypto'
import { storeMemory } from '../../src/domains/memory/capture.ts'
import type { MemoryDraft } from '../../src/domains/memory/memory.ts'
import { type RecalledMemory, recallMemories } from '../../src/domains/memory/recall.ts'
import { createRanker } from '../../src/domains/retrieval/rank.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/lib/id.ts'
import type { MemoryScope } from '../../src/shared/memory-words.ts'
import { SHARED_SCOPES } from '../../src/shared/memory-words.ts'
import { ANONYMOUS_USER, type User } from '../../src/shared/principal.ts'
import type { Viewer } from '../../src/shared/viewer.ts'
import { adjustableClock } from './adjustable-clock.ts'
import { seedApplication, seedWorkspace } from './seed.ts'

export const testHasher = { text: (_: string, text: string) => createHmac('sha256', 'test').update(text).digest('hex') }

export async function createMemoryStoreFixture(database: Database) {
  const { db } = database
  const { workspaceId } = await seedWorkspace(db)
  const { applicationId } = await seedApplication(db, workspaceId)
  const clock = adjustableClock()
  const ranker = createRanker()
  return {
    workspaceId,
    applicationId,
    clock,
    viewer: (fields: Partial<Omit<Viewer, 'user'>> & { readonly user?: Partial<User> } = {}): Viewer => ({
      workspaceId,
      applicationId,
      sessionId: '',
      ceiling: 'restricted',
      assertionScopes: SHARED_SCOPES,
      ...fields,
      user: { ...ANONYMOUS_USER, ...fields.user },
    }),
    store: (viewer: Viewer, fields: Partial<MemoryDraft> & { readonly content: string }) =>
      db.transaction().execute((tx) => storeMemory(tx, viewer, draft(fields), testHasher, clock.now())),
    recall: async (viewer: Viewer, text: string, scopes?: readonly MemoryScope[]): Promise<RecalledMemory[]> => {
      const found: RecalledMemory[] = []
      const query = { text, ...(scopes && { scopes }) }
      for await (const batch of recallMemories({ db, ranker, clock }, viewer, query)) found.push(...batch)
      return found
    },
  }
}

export type MemoryStoreFixture = Awaited<ReturnType<typeof createMemoryStoreFixture>>

export const draft = (fields: Partial<MemoryDraft> & { readonly content: string }): MemoryDraft => ({
  id: newId('mem'),
  scope: 'user',
  scopeId: null,
  kind: 'fact',
  summary: null,
  classification: 'internal',
  regulations: [],
  expiresAt: null,
  mode: 'active',
  source: 'capture',
  auditId: newId('aud'),
  ...fields,
})
