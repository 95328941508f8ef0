import { DETECTORS } from '../../domains/classification/detectors.ts'
import { NO_GROUPS } from '../../domains/identity/group-directory.ts'
import { findUser, upsertUser } from '../../domains/identity/user-store.ts'
import { type Governed, governDeclared } from '../../domains/messaging/governance/governed-fields.ts'
import { ActivePolicies } from '../../domains/policy/active-policies.ts'
import type { Db } from '../../platform/db/database.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import { type Change, changeOf, DeclarationConflict, findDifferences } from './change.ts'
import type { DeclaredUser } from './declaration.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

export const applyUser = (context: ApplyContext, declared: DeclaredUser): Promise<Change[]> =>
  applyItem(context.ledger, { object: 'user', name: declared.id, declared }, async () => {
    const { tx, workspaceId, now } = context
    const { id, username: name } = declared
    const known = await findUser(tx, workspaceId, id)
    const { username, role, department, attributes } = known ?? { username: '', role: '', department: '', attributes: {} }
    const before = { username, role, department, attributes }
    const after = {
      ...before,
      username: name,
      ...(declared.role !== undefined && { role: declared.role ?? '' }),
      ...(declared.department !== undefined && { department: declared.department ?? '' }),
      ...(declared.attributes !== undefined && { attributes: declared.attributes ?? {} }),
    }
    const fields = findDifferences(before, after)
    if (known && fields.length === 0) return [changeOf('user', 'unchanged', { id, name })]
    const governed = await governFields(context, 'username', { username: name, id })
    const applied = await upsertUser(tx, workspaceId, { ...after, ...governed, id }, now)
    if (!applied.ok) throw new DeclarationConflict('username', `${JSON.stringify(name)} is another user's`)
    return [changeOf('user', known ? 'updated' : 'created', { id, name }, fields)]
  })

/** Longer than for requests: the texts are names, and the start waits for them. */
const DETECTOR_BUDGET_MS = 5_000

/** Governs names and texts that users show each other, with the policies active in the transaction. Throws DeclarationConflict if they deny. */
export async function governFields<const F extends Readonly<Record<string, string | null | undefined>>>(
  { tx, workspaceId, now }: Pick<ApplyContext, 'tx' | 'workspaceId' | 'now'>,
  param: string,
  fields: F,
): Promise<Governed<F>> {
  const policies = new ActivePolicies(tx as Db, { onProblem: () => {} })
  // A fault denies and ends the start, so it is not counted.
  const deps = { detectors: DETECTORS, detectorBudgetMs: DETECTOR_BUDGET_MS, policies, groups: NO_GROUPS, reportFault: () => {} }
  const governed = await governDeclared(deps, { workspaceId, author: ANONYMOUS_USER, now }, fields)
  if (!governed.ok)
    throw new DeclarationConflict(param, `is denied by the policies at \`message\` (${governed.rules.join(', ')})`)
  return governed.fields
}
