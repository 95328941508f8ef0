import type { Db } from '../../platform/db/database.ts'
import { NO_ROLES, type Roles } from '../../shared/access.ts'
import { ROLES, type Role } from '../../shared/operator.ts'
import type { ClaimedRole } from './role-claims.ts'

/** The id of the Workspace with this id or name. */
export type FindWorkspaceId = (db: Db, choice: string) => Promise<string | undefined>

const strongest = (roles: readonly (Role | null | undefined)[]): Role | null => ROLES.find((role) => roles.includes(role)) ?? null

/** The most powerful claimed role in all Workspaces and in each Workspace. Workspaces that do not exist are left out. */
export async function resolveClaims(db: Db, claims: readonly ClaimedRole[], find: FindWorkspaceId): Promise<Roles> {
  const workspaces = new Map<string, Role>()
  for (const { workspace, role } of claims) {
    const id = workspace === undefined ? undefined : await find(db, workspace)
    if (id !== undefined) workspaces.set(id, strongest([role, workspaces.get(id)]) ?? role)
  }
  const all = strongest(claims.filter(({ workspace }) => workspace === undefined).map(({ role }) => role))
  return { ...NO_ROLES, all, workspaces }
}

/**
 * Claims as `operator.role` of an operator that better-auth creates, which has no column for roles in Workspaces. `completeRoles` stores
 * them as roles afterwards, before the operator has a session; until then they count as no role (stored-roles.ts).
 */
export const encodeClaims = (claims: readonly ClaimedRole[]): string => JSON.stringify(claims)

export function decodeClaims(stored: unknown): readonly ClaimedRole[] {
  return typeof stored === 'string' && stored.startsWith('[') ? (JSON.parse(stored) as ClaimedRole[]) : []
}
