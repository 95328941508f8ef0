import { type CompiledPolicy, compile } from '../../../domains/policy/compile.ts'
import { type PolicyError, parsePolicySet } from '../../../domains/policy/parse.ts'
import { type PolicySet, policySha256 } from '../../../domains/policy/policy.ts'
import { findPolicySet } from '../../../domains/policy/policy-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Db } from '../../../platform/db/database.ts'
import { isStorable } from '../../../platform/lib/fields.ts'
import type { PolicyVersion } from '../../../shared/decision.ts'
import { invalid, requireFound } from '../../../shared/request-errors.ts'

/** Compiles the draft or the published version that a body names. Returns undefined if it names neither. Throws a 400 or a 404. */
export async function loadChosenPolicy(
  db: Db,
  workspaceId: string,
  { source, policy_set_id: id }: { readonly source?: string; readonly policy_set_id?: string },
): Promise<CompiledPolicy | undefined> {
  if (id !== undefined && source !== undefined) {
    throw invalid({ param: 'policy_set_id', message: 'cannot be combined with source: send one of them' })
  }
  if (source !== undefined) return compileSource(source, { id: '', version: 0 })
  if (id === undefined) return undefined
  const set = requireFound(await findPolicySet(db, workspaceId, id), 'policy set')
  return compileSource(set.source, set)
}

function compileSource(source: string, { id, version }: Pick<PolicyVersion, 'id' | 'version'>): CompiledPolicy {
  const set = parseSource(source)
  return compile(set, { id, version, name: set.name, sha256: policySha256(source) })
}

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
