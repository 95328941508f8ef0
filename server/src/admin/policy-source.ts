import { isStorable } from '../applications/shapes.ts'
import { GatehouseError } from '../errors.ts'
import { type PolicyError, parsePolicySet } from '../policy/parse.ts'
import type { PolicySet } from '../policy/policy.ts'

const UNSTORABLE: PolicyError = { line: 1, column: 1, field: '', message: 'the document holds U+0000 or unpaired surrogates' }

/** The set that a document holds. Throws a 400 that tells all its problems, by line and field, and the first in its message. */
export function policySetOf(source: string): PolicySet {
  const parsed = parsePolicySet(source)
  if (parsed.ok && isStorable(source) && isStorable(parsed.set.name)) return parsed.set
  const errors = parsed.ok ? [UNSTORABLE] : parsed.errors
  const [first] = errors
  throw new GatehouseError('VALIDATION_ERROR', {
    message: `The policy document is not valid. Line ${first?.line}: ${first?.field ? `${first.field} ` : ''}${first?.message}.`,
    ...(first?.field && { param: first.field }),
    details: { errors },
  })
}
