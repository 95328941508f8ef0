import { type PolicyError, parsePolicySet } from '../../../domains/policy/parse.ts'
import type { PolicySet } from '../../../domains/policy/policy.ts'
import { GatehouseError } from '../../../errors.ts'
import { isStorable } from '../../../platform/lib/fields.ts'

const UNSTORABLE: PolicyError = { line: 1, column: 1, field: '', message: 'the document contains U+0000 or unpaired surrogates' }

/** Parses a policy document. Throws a 400 with all problems by line and field, and the first one in its message. */
export function parseSource(source: string): PolicySet {
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
