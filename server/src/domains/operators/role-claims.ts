import type { Db } from '../../platform/db/database.ts'
import { NO_ROLES, type Roles } from '../../shared/access.ts'
import { ROLES, type Role } from '../../shared/operator.ts'

export interface RoleClaims {
  readonly roleClaim: string | undefined
  /** Undefined: the values are roles themselves, as in {@link parseClaimedRole}. */
  readonly roles: ReadonlyMap<string, readonly ClaimedRole[]> | undefined
}

/** A role in the Workspace with this id or name; without one in all Workspaces. */
export interface ClaimedRole {
  readonly workspace?: string | undefined
  readonly role: Role
}

/** `auditor`: in all Workspaces. `acme:reviewer`: in the Workspace with this id or name. Returns undefined if it is not a role. */
function parseClaimedRole(text: string): ClaimedRole | undefined {
  const separator = text.lastIndexOf(':')
  const role = ROLES.find((name) => name === text.slice(separator + 1))
  if (!role || separator === 0) return undefined
  return separator < 0 ? { role } : { workspace: text.slice(0, separator), role }
}

/** A claim by its name, or by its path: `realm_access.roles`. A name can have dots itself: `https://example.com/roles`. */
function findClaim(profile: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(profile, name)) return profile[name]
  return name.split('.').reduce<unknown>((value, key) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    return isObject ? (value as Record<string, unknown>)[key] : undefined
  }, profile)
}

/** Whether the provider has verified the address. Entra ID sends its claim as a boolean, a number or a text. */
export function isVerified(profile: Readonly<Record<string, unknown>>, claim: string): boolean {
  return [true, 'true', 1, '1'].includes(findClaim(profile, claim) as string)
}

export function findClaimedRoles(
  profile: Readonly<Record<string, unknown>>,
  { roleClaim, roles }: RoleClaims,
): readonly ClaimedRole[] {
  const value = roleClaim === undefined ? undefined : findClaim(profile, roleClaim)
  return (Array.isArray(value) ? value : [value]).flatMap((name) => {
    if (roles) return roles.get(String(name)) ?? []
    return parseClaimedRole(String(name)) ?? []
  })
}

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

/** Claims as `operator.role` of a new operator. `completeRoles` stores them as roles before there is a session. */
export const encodeClaims = (claims: readonly ClaimedRole[]): string => JSON.stringify(claims)

export function decodeClaims(stored: unknown): readonly ClaimedRole[] {
  return typeof stored === 'string' && stored.startsWith('[') ? (JSON.parse(stored) as ClaimedRole[]) : []
}
