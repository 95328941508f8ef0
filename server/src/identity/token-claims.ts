import type { User } from '../domain/principal.ts'
import { hasTooManyProjects } from '../domain/viewer.ts'
import { isStorable } from '../lib/fields.ts'
import type { ClaimNames } from './workspace.ts'

const MAX_TEXT = 200

/**
 * Verified claims → user. Undefined when the id is missing or empty, or when a claim is not of its type: a role that cannot
 * be read must not become no role, since a policy may forbid what that role may not do.
 */
export function userOfClaims(claims: Readonly<Record<string, unknown>>, names: ClaimNames): User | undefined {
  const id = text(claims, names.id)
  const role = text(claims, names.role)
  const department = text(claims, names.department)
  const attributes = own(claims, names.attributes) ?? {}
  if (!id || role === undefined || department === undefined || !isObject(attributes)) return undefined
  if (hasTooManyProjects(attributes)) return undefined
  return { id, role, department, attributes, verified: true }
}

/** Empty when there is none, undefined when it is no text of ours. */
function text(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = own(claims, name) ?? ''
  return typeof value === 'string' && value.length <= MAX_TEXT && isStorable(value) ? value : undefined
}

/** A claim called `constructor` is absent unless the token has it. */
const own = (claims: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
