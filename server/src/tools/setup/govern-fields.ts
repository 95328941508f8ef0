import { DETECTORS } from '../../domains/classification/detectors.ts'
import { type Governed, governDeclared } from '../../domains/messaging/governance/governed-fields.ts'
import { ActivePolicies } from '../../domains/policy/active-policies.ts'
import type { Db } from '../../platform/db/database.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import { DeclarationConflict } from './change.ts'
import type { ApplyContext } from './recorded-change.ts'

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
  const deps = { detectors: DETECTORS, detectorBudgetMs: DETECTOR_BUDGET_MS, policies, reportFault: () => {} }
  const governed = await governDeclared(deps, { workspaceId, author: ANONYMOUS_USER, now }, fields)
  if (!governed.ok)
    throw new DeclarationConflict(param, `is denied by the policies at \`message\` (${governed.rules.join(', ')})`)
  return governed.fields
}
