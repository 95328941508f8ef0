import { ROLES, type Role } from '../domain/operator.ts'

/** The claim of an identity provider that gives operators their roles, and the roles of its values. */
export interface RoleClaims {
  readonly roleClaim: string | undefined
  readonly roles: ReadonlyMap<string, Role>
}

/** The most powerful role in the claim. Returns undefined if the claim has no role. */
export function findClaimedRole(profile: Readonly<Record<string, unknown>>, { roleClaim, roles }: RoleClaims): Role | undefined {
  const value = roleClaim === undefined ? undefined : profile[roleClaim]
  const claimed = (Array.isArray(value) ? value : [value]).map((name) => roles.get(String(name)))
  return ROLES.find((role) => claimed.includes(role))
}
