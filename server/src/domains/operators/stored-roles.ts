import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import { canCauseRequests, changedRoles, type Roles } from '../../shared/access.ts'
import { type Role, roleOf } from '../../shared/operator.ts'

/** `operator.role` of an operator without a role in all Workspaces. */
const NONE = 'none'

/** SQL value: the roles in single Workspaces, by UUID. `operatorId`: the column with the id. */
export const workspaceRolesOf = (operatorId: string): RawBuilder<Readonly<Record<string, string>>> =>
  sql`(select coalesce(jsonb_object_agg(operator_role.workspace_id, operator_role.role), '{}') from operator_role
    where operator_role.operator_id = ${sql.ref(operatorId)} and operator_role.role is not null)`

/** SQL condition: the operator has a role in all Workspaces, also while suspended. The same rules as `rolesOf`. */
export const hasRoleInAll = sql<boolean>`(operator.role <> ${NONE} and operator.role not like '%:%')`

export const rolesOf = ({
  role,
  workspace_roles,
}: {
  readonly role: string
  readonly workspace_roles: Readonly<Record<string, string>>
}): Roles => ({
  // Claims of roles in Workspaces have a colon, until the row is complete (better-auth.ts).
  all: role === NONE || role.includes(':') ? null : roleOf(role),
  workspaces: new Map(Object.entries(workspace_roles).map(([id, stored]) => [toId('ws', id), roleOf(stored)])),
})

export const columnsOf = (all: Role | null) => ({ role: all ?? NONE, suspended_at: null })

/** Stores the roles, and which former ones could cause requests. The caller has locked the operator's row. */
export async function writeRoles(tx: Tx, operatorId: string, before: Roles, after: Roles): Promise<void> {
  const changed = changedRoles(before, after)
  const formerInAll = changed.all && canCauseRequests(before.all) && { could_cause_requests: true }
  const columns = { ...columnsOf(after.all), ...formerInAll }
  await tx.updateTable('operator').set(columns).where('id', '=', operatorId).execute()
  for (const workspaceId of changed.workspaceIds) {
    const row = { operator_id: operatorId, workspace_id: uuidOfWorkspace(workspaceId) }
    const role = after.workspaces.get(workspaceId) ?? null
    const former = canCauseRequests(before.workspaces.get(workspaceId)) && { could_cause_requests: true }
    await tx
      .insertInto('operator_role')
      .values({ ...row, role })
      .onConflict((conflict) => conflict.columns(['operator_id', 'workspace_id']).doUpdateSet({ role, ...former }))
      .execute()
  }
}
