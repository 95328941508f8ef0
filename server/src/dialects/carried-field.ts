import type { Fields } from '../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS, NAMESPACED_NAMES, type OriginalRequest } from '../shared/original-request.ts'
import { isEmpty } from './untranslatable.ts'
import type { UpstreamRequest } from './upstream-dialect.ts'

/** A field of the request that this provider cannot get: one of another API, or one that a policy has changed. Undefined: there is none. */
export function carriedField({ original, parameters }: UpstreamRequest, dialect: OriginalRequest['dialect']): string | undefined {
  if (!original) return undefined
  // A changed name has no place in the provider's body.
  if (parameters[NAMESPACED_NAMES] !== original.parameters[NAMESPACED_NAMES]) return NAMESPACED_NAMES
  const carried = original.parameters[CARRIED_FIELDS]
  if (carried === undefined) return undefined
  // A transform has changed one, and it cannot be put back into its place.
  if (original.dialect === dialect) return parameters[CARRIED_FIELDS] === carried ? undefined : CARRIED_FIELDS
  return (carried as readonly Fields[]).every((field) => Object.values(field).every(isEmpty)) ? undefined : CARRIED_FIELDS
}
