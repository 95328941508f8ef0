import { ROLES, type Role } from '../domain/operator.ts'

/** Which claim of an OIDC provider says what somebody may, and what its values mean. */
export interface RoleClaims {
  readonly roleClaim: string | undefined
  readonly roles: ReadonlyMap<string, Role>
}

/** The role that may most of those that the claim names; undefined when it names none. */
export function findClaimedRole(profile: Readonly<Record<string, unknown>>, { roleClaim, roles }: RoleClaims): Role | undefined {
  const value = roleClaim === undefined ? undefined : profile[roleClaim]
  const claimed = (Array.isArray(value) ? value : [value]).map((one) => roles.get(String(one)))
  return ROLES.find((role) => claimed.includes(role))
}
