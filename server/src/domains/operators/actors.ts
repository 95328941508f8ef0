import type { Db } from '../../platform/db/database.ts'
import { fromId, toId } from '../../platform/lib/id.ts'
import { listAdminTokens } from './admin-token-store.ts'
import { listPeople } from './operator-store.ts'

interface Actor {
  readonly id: string
  readonly kind: 'operator' | 'admin_token'
  readonly name: string
}

const MAX_EACH = 1_000

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

/** Names of operators (`opr_…`) and admin tokens (`adm_…`) by id. Deleted ones and the server itself have none. */
export async function findActorNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const people = [...new Set(ids.filter((id) => id.startsWith('opr_')))]
  const tokens = [...new Set(ids)].flatMap((id) => fromId('adm', id) ?? [])
  const found = await Promise.all([
    people.length === 0 ? [] : db.selectFrom('operator').select(['id', 'name']).where('id', 'in', people).execute(),
    tokens.length === 0 ? [] : db.selectFrom('admin_token').select(['id', 'name']).where('id', 'in', tokens).execute(),
  ])
  const [operators, adminTokens] = found
  return new Map([
    ...operators.map(({ id, name }) => [id, name] as const),
    ...adminTokens.map(({ id, name }) => [toId('adm', id), name] as const),
  ])
}
