import { DETECTORS } from '../classification/detectors.ts'
import type { Db } from '../db/database.ts'
import { ANONYMOUS_USER } from '../domain/principal.ts'
import { type Governed, governDeclared } from '../messaging/governance/governed-fields.ts'
import { ActivePolicies } from '../policy/active-policies.ts'
import { DeclarationConflict } from './change.ts'
import type { Scope } from './scope.ts'

/** A start waits for it; texts are names. */
const DETECTOR_BUDGET_MS = 5_000

/** What users will read of one another, as the policies in force within the transaction let it pass. Throws DeclarationConflict. */
export async function governedHere<const F extends Readonly<Record<string, string | null | undefined>>>(
  { tx, workspaceId, now }: Pick<Scope, 'tx' | 'workspaceId' | 'now'>,
  param: string,
  fields: F,
): Promise<Governed<F>> {
  const policies = new ActivePolicies(tx as Db, { onProblem: () => {} })
  // A fault denies, and the start ends with it: nothing is left to count it for.
  const judging = { detectors: DETECTORS, detectorBudgetMs: DETECTOR_BUDGET_MS, policies, reportFault: () => {} }
  const answer = await governDeclared(judging, { workspaceId, author: ANONYMOUS_USER, now }, fields)
  if (!answer.ok) throw new DeclarationConflict(param, `is refused by the policies at \`message\` (${answer.rules.join(', ')})`)
  return answer.fields
}
