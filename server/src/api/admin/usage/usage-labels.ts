import type { Dimension } from '../../../domains/audit/statistics/dimension-values.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { fromId, toId } from '../../../platform/lib/id.ts'
import type { AdminDeps } from '../admin-deps.ts'

/** Users that are compared with keyed hashes: a hash takes microseconds. */
const MAX_USERS = 20_000

/** Names of the groups, by value. Providers and models have none but their values. `namesUsers`: the operator may read users. */
export async function labelsOf(
  { db, workspaceKeys }: AdminDeps,
  workspaceId: string,
  {
    dimension,
    values,
    namesUsers,
  }: { readonly dimension: Dimension; readonly values: readonly string[]; readonly namesUsers: boolean },
): Promise<ReadonlyMap<string, string>> {
  const workspace = uuidOf('ws', workspaceId)
  const uuids = (prefix: string) => values.flatMap((value) => fromId(prefix, value) ?? [])
  if (dimension === 'application') {
    const rows = await db
      .selectFrom('application')
      .select(['id', 'name'])
      .where('workspace_id', '=', workspace)
      .where('id', 'in', [...uuids('app'), workspace])
      .execute()
    return new Map(rows.map(({ id, name }) => [toId('app', id), name]))
  }
  if (dimension === 'key') {
    const rows = await db
      .selectFrom('api_key')
      .innerJoin('application', 'application.id', 'api_key.application_id')
      .select(['api_key.id', 'api_key.name', 'application.name as application'])
      .where('api_key.workspace_id', '=', workspace)
      .where('api_key.id', 'in', [...uuids('key'), workspace])
      .execute()
    return new Map(rows.map(({ id, name, application }) => [toId('key', id), `${name || toId('key', id)} (${application})`]))
  }
  if (dimension !== 'user' || !namesUsers) return new Map()
  const { hasher } = await workspaceKeys.get(workspaceId)
  const users = await db
    .selectFrom('workspace_user')
    .select('id')
    .where('workspace_id', '=', workspace)
    .orderBy('updated_at', 'desc')
    .limit(MAX_USERS)
    .execute()
  const wanted = new Set(values)
  return new Map(
    users.flatMap(({ id }) => {
      const hash = hasher.user(id)
      return hash !== null && wanted.has(hash) ? [[hash, id] as const] : []
    }),
  )
}
