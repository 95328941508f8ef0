import { parsePolicySet } from '../policy/parse.ts'
import { policySha256 } from '../policy/policy.ts'
import { findActivePolicySet, findLastPublishedSha256, publishPolicySet } from '../policy/policy-store.ts'
import { type Change, DeclarationConflict } from './change.ts'
import { applyThing } from './ledger.ts'
import type { Scope } from './scope.ts'

/** Who published what a file declares. */
const PUBLISHER = 'gatehouse'

/** Puts the document in force, as a new version, unless it already is. */
export function applyPolicy(scope: Scope, source: string): Promise<Change[]> {
  const { tx, workspaceId, ledger } = scope
  const sha256 = policySha256(source)
  const wasApplied = async () => (await findLastPublishedSha256(tx, workspaceId, PUBLISHER)) === sha256
  const thing = { object: 'policy_set' as const, name: 'active', declared: source, sha256, wasApplied }
  return applyThing(ledger, thing, () => publish(scope, source, sha256))
}

async function publish({ tx, workspaceId, now }: Scope, source: string, sha256: string): Promise<Change[]> {
  const parsed = parsePolicySet(source)
  if (!parsed.ok) throw new DeclarationConflict('policy.file', 'is no valid policy set')
  const active = await findActivePolicySet(tx, workspaceId)
  if (active?.sha256 === sha256) {
    return [{ done: 'unchanged', object: 'policy_set', id: active.id, name: `${active.name} v${active.version}`, fields: [] }]
  }
  const { name } = parsed.set
  const { id, version } = await publishPolicySet(tx, workspaceId, { name, source, sha256, publishedBy: PUBLISHER, now })
  const replaced = active && active.publishedBy !== PUBLISHER && `${active.name} v${active.version}, published over the API`
  return [{ done: 'published', object: 'policy_set', id, name: `${name} v${version}`, fields: [], ...(replaced && { replaced }) }]
}
