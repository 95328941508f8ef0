import { parsePolicySet } from '../../domains/policy/parse.ts'
import { policySha256 } from '../../domains/policy/policy.ts'
import { findActivePolicySet, publishPolicySet } from '../../domains/policy/policy-store.ts'
import { type Change, changeOf, DeclarationConflict } from './change.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

const PUBLISHER = 'gatehouse'

export function applyPolicy({ tx, workspaceId, now, ledger }: ApplyContext, source: string): Promise<Change[]> {
  const sha256 = policySha256(source)
  // A policy set is one document: an edit of one rule must not remove the rule that an operator added in an emergency.
  const isReplaced = async (applied: string) => {
    const active = await findActivePolicySet(tx, workspaceId)
    return active !== undefined && active.sha256 !== applied && active.sha256 !== sha256
  }
  const item = { object: 'policy_set' as const, name: 'active', declared: source, sha256, isReplaced }
  return applyItem(ledger, item, async () => {
    const parsed = parsePolicySet(source)
    if (!parsed.ok) throw new DeclarationConflict('policy.file', 'is not a valid policy set')
    const active = await findActivePolicySet(tx, workspaceId)
    const activeName = `${active?.name} v${active?.version}`
    if (active?.sha256 === sha256) return [changeOf('policy_set', 'unchanged', { id: active.id, name: activeName })]
    const { name } = parsed.set
    const { id, version } = await publishPolicySet(tx, workspaceId, { name, source, sha256, publishedBy: PUBLISHER, now })
    const replaced = active && active.publishedBy !== PUBLISHER && `${activeName}, published over the API`
    return [{ ...changeOf('policy_set', 'published', { id, name: `${name} v${version}` }), ...(replaced && { replaced }) }]
  })
}
