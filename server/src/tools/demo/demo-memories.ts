import { loadWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { findApplicationByName } from '../../domains/identity/application-store.ts'
import { storeMemory } from '../../domains/memory/capture.ts'
import { newId } from '../../platform/lib/id.ts'
import type { Classification } from '../../shared/classification.ts'
import { type MemoryKind, type MemoryScope, SHARED_SCOPES } from '../../shared/memory-words.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import { type Change, changeOf } from '../setup/change.ts'
import type { ApplyContext } from '../setup/recorded-change.ts'

interface DemoMemory {
  readonly scope: MemoryScope
  readonly kind: MemoryKind
  readonly content: string
  readonly classification?: Classification
  readonly user?: string
  readonly scopeId?: string
}

const MEMORIES: readonly DemoMemory[] = [
  {
    scope: 'user',
    user: 'alice',
    kind: 'preference',
    content: 'Alice prefers short answers, in a list where there is more than one point.',
  },
  { scope: 'user', user: 'bob', kind: 'fact', content: 'Bob looks after the release train of the ordering system.' },
  {
    scope: 'department',
    scopeId: 'support',
    kind: 'decision',
    content: 'Since October a goodwill voucher needs the number of its ticket.',
  },
  {
    scope: 'project',
    scopeId: 'atlas',
    kind: 'fact',
    content: 'The rehearsal of the Atlas switch-over is on the second Tuesday of December.',
    classification: 'confidential',
  },
  { scope: 'application', kind: 'workflow_state', content: 'The form for returns has moved to the customer portal.' },
  { scope: 'workspace', kind: 'fact', content: 'The office is closed between Christmas and New Year.' },
]

const NEW_MEMORY = { summary: null, regulations: [], expiresAt: null, mode: 'active', source: 'admin' } as const

export async function seedMemories({ tx, workspaceId, workspaceBox, now }: ApplyContext): Promise<Change[]> {
  const application = await findApplicationByName(tx, workspaceId, 'support')
  const keys = await loadWorkspaceKeys(tx, workspaceBox, workspaceId)
  if (!application || !keys) return []
  const changes: Change[] = []
  for (const { user = '', scopeId = null, classification = 'internal', ...memory } of MEMORIES) {
    const viewer = {
      workspaceId,
      applicationId: application.id,
      user: { ...ANONYMOUS_USER, id: user },
      sessionId: '',
      ceiling: 'restricted' as const,
      assertionScopes: SHARED_SCOPES,
    }
    const auditId = newId('aud')
    const draft = { ...memory, ...NEW_MEMORY, id: newId('mem'), scopeId, classification, auditId }
    const { id } = await storeMemory(tx, viewer, draft, keys.hasher, now)
    changes.push({ ...changeOf('memory', 'created', { id, name: id }), auditId })
  }
  return changes
}
