import { type CompiledPolicy, compile } from '../../../domains/policy/compile.ts'
import { policySha256 } from '../../../domains/policy/policy.ts'
import { findPolicySet } from '../../../domains/policy/policy-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { PolicyVersion } from '../../../shared/decision.ts'
import { invalid, notFound } from '../../../shared/request-errors.ts'
import { parseSource } from './parse-source.ts'

interface Choice {
  readonly source?: string
  readonly policy_set_id?: string
}

const DRAFT = { id: '', version: 0 }

/** Compiles the draft or the published version that a body names. Returns undefined if it names neither. Throws a 400 or a 404. */
export async function loadChosenPolicy(
  db: Db,
  workspaceId: string,
  { source, policy_set_id: id }: Choice,
): Promise<CompiledPolicy | undefined> {
  if (id !== undefined && source !== undefined) {
    throw invalid({ param: 'policy_set_id', message: 'cannot be combined with source: send one of them' })
  }
  if (source !== undefined) return compileSource(source, DRAFT)
  if (id === undefined) return undefined
  const set = await findPolicySet(db, workspaceId, id)
  if (!set) throw notFound('policy set')
  return compileSource(set.source, set)
}

function compileSource(source: string, { id, version }: Pick<PolicyVersion, 'id' | 'version'>): CompiledPolicy {
  const set = parseSource(source)
  return compile(set, { id, version, name: set.name, sha256: policySha256(source) })
}
