import { type Access, causingScope, ROLE_SCOPES, type Role, type Roles } from './operator.ts'
import { SCOPES, type Scope } from './scope.ts'

export type { Access, Roles } from './operator.ts'

export const NO_ROLES: Roles = { all: null, workspaces: new Map() }
export const NO_ACCESS: Access = { all: [], workspaces: new Map() }
export const FULL_ACCESS: Access = { all: SCOPES, workspaces: new Map() }

/** In the order of SCOPES, so that equal sets are equal lists. */
const union = (...lists: readonly (readonly Scope[])[]): readonly Scope[] =>
  SCOPES.filter((scope) => lists.some((list) => list.includes(scope)))

const intersection = (a: readonly Scope[], b: readonly Scope[]): readonly Scope[] => a.filter((scope) => b.includes(scope))

export function accessOf({ all, workspaces }: Roles): Access {
  const scopes = all === null ? [] : ROLE_SCOPES[all]
  return {
    all: scopes,
    workspaces: new Map([...workspaces].map(([id, role]) => [id, union(scopes, ROLE_SCOPES[role])])),
  }
}

export const scopesIn = ({ all, workspaces }: Access, workspaceId: string | undefined): readonly Scope[] =>
  (workspaceId === undefined ? undefined : workspaces.get(workspaceId)) ?? all

export const scopesAnywhere = ({ all, workspaces }: Access): readonly Scope[] => union(all, ...workspaces.values())

export const mayEnter = (access: Access, workspaceId: string): boolean => scopesIn(access, workspaceId).length > 0

/** The only Workspaces in which the operator has the scope; undefined: all Workspaces. */
export function workspacesWith({ all, workspaces }: Access, scope: Scope): readonly string[] | undefined {
  if (all.includes(scope)) return undefined
  return [...workspaces].filter(([, scopes]) => scopes.includes(scope)).map(([id]) => id)
}

/** The Workspaces that the operator may enter, oldest first; undefined: all Workspaces. */
export function enterable({ all, workspaces }: Access): readonly string[] | undefined {
  if (all.length > 0) return undefined
  return [...workspaces.keys()].filter((id) => workspaces.get(id)?.length).toSorted()
}

export const covers = (access: Access, other: Access): boolean =>
  other.all.every((scope) => access.all.includes(scope)) &&
  [...other.workspaces].every(([id, scopes]) => scopes.every((scope) => scopesIn(access, id).includes(scope)))

export const isSameAccess = (one: Access, other: Access): boolean => covers(one, other) && covers(other, one)

/** The part of `access` with these scopes, in these Workspaces. `workspaceIds` null: wherever `access` has scopes. */
export function limitAccess(access: Access, scopes: readonly Scope[], workspaceIds: readonly string[] | null): Access {
  const limited = (id: string): [string, readonly Scope[]] => [id, intersection(scopes, scopesIn(access, id))]
  if (workspaceIds !== null) return { all: [], workspaces: new Map(workspaceIds.map(limited)) }
  return { all: intersection(scopes, access.all), workspaces: new Map([...access.workspaces.keys()].map(limited)) }
}

export function changedRoles(before: Roles, after: Roles): { readonly all: boolean; readonly workspaceIds: readonly string[] } {
  const ids = new Set([...before.workspaces.keys(), ...after.workspaces.keys()])
  return {
    all: before.all !== after.all,
    workspaceIds: [...ids].filter((id) => before.workspaces.get(id) !== after.workspaces.get(id)).toSorted(),
  }
}

export const canCauseRequests = (role: Role | null | undefined): boolean =>
  role !== null && role !== undefined && causingScope(ROLE_SCOPES[role]) !== undefined
