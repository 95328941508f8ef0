import type { Db } from '../../platform/db/database.ts'
import { listAdminTokens } from './admin-token-store.ts'
import { listPeople } from './operator-store.ts'

interface Actor {
  readonly id: string
  readonly kind: 'operator' | 'admin_token'
  readonly name: string
}

const MAX_EACH = 1_000

/** Operators and admin tokens that may enter the Workspace, also revoked tokens, for the names in its audit records. */
export async function listActors(db: Db, workspaceId: string): Promise<readonly Actor[]> {
  const [people, tokens] = await Promise.all([
    listPeople(db, { limit: MAX_EACH }, workspaceId),
    listAdminTokens(db, { limit: MAX_EACH }, workspaceId),
  ])
  return [
    ...people.data.map(({ id, name }) => ({ id, kind: 'operator' as const, name })),
    ...(tokens?.data ?? []).map(({ id, name }) => ({ id, kind: 'admin_token' as const, name })),
  ]
}
