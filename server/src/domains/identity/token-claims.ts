import { isStorable } from '../../platform/lib/fields.ts'
import type { User } from '../../shared/principal.ts'
import { hasTooManyProjects } from '../../shared/viewer.ts'
import type { ClaimNames } from './workspace.ts'

const MAX_TEXT = 200

/**
 * The user of verified claims. Returns undefined if the id is missing or a claim has a wrong type: an unreadable role must not become
 * an empty role, because a policy may restrict that role.
 */
export function userOfClaims(claims: Readonly<Record<string, unknown>>, names: ClaimNames): User | undefined {
  const id = readText(claims, names.id)
  const role = readText(claims, names.role)
  const department = readText(claims, names.department)
  const attributes = readClaim(claims, names.attributes) ?? {}
  if (!id || role === undefined || department === undefined || !isObject(attributes)) return undefined
  if (hasTooManyProjects(attributes)) return undefined
  return { id, role, department, attributes, verified: true }
}

/** A claim's text: empty if it is missing, undefined if it is invalid. */
function readText(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = readClaim(claims, name) ?? ''
  return typeof value === 'string' && value.length <= MAX_TEXT && isStorable(value) ? value : undefined
}

/** Ignores inherited properties such as `constructor`. */
const readClaim = (claims: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
