import { parsePolicySet } from '../policy/parse.ts'
import { policySha256 } from '../policy/policy.ts'
import { activePolicySet, publishPolicySet } from '../policy/policy-store.ts'
import { type Change, DeclarationConflict } from './change.ts'
import type { Scope } from './scope.ts'

/** Puts the document in force, as a new version, unless it already is. */
export async function applyPolicy({ tx, workspaceId, now }: Scope, source: string): Promise<Change[]> {
  const parsed = parsePolicySet(source)
  if (!parsed.ok) throw new DeclarationConflict('policy.file', 'is no valid policy set')
  const sha256 = policySha256(source)
  const active = await activePolicySet(tx, workspaceId)
  if (active?.sha256 === sha256) {
    return [{ done: 'unchanged', object: 'policy_set', id: active.id, name: `${active.name} v${active.version}`, fields: [] }]
  }
  const { name } = parsed.set
  const { id, version } = await publishPolicySet(tx, workspaceId, { name, source, sha256, publishedBy: 'gatehouse', now })
  return [{ done: 'published', object: 'policy_set', id, name: `${name} v${version}`, fields: [] }]
}
