import { type Delegates, findDelegates, representativeOf } from '../../../domains/operators/absence-store.ts'
import type { Person } from '../../../domains/operators/operator.ts'
import { findPerson } from '../../../domains/operators/operator-store.ts'
import type { Assignee } from '../../../domains/review/review-assignment.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { accessOf, scopesIn } from '../../../shared/access.ts'

export const isReviewer = ({ roles, state }: Pick<Person, 'roles' | 'state'>, workspaceId: string): boolean =>
  state !== 'suspended' && scopesIn(accessOf(roles), workspaceId).includes('reviews:write')

/** The delegates of absent operators who can decide in the Workspace. A delegate without the role there is passed over. */
export async function findReviewingDelegates(db: Db, workspaceId: string, now: Date): Promise<Delegates> {
  const delegates: [string, string][] = []
  for (const [operatorId, delegateId] of await findDelegates(db, now)) {
    if (await isReviewerId(db, delegateId, workspaceId)) delegates.push([operatorId, delegateId])
  }
  return new Map(delegates)
}

/** The reviewer in place of `operatorId` now: the operator, or the delegate of an absence. Undefined if the operator is no reviewer of the Workspace. */
export async function findAssignee(tx: Tx, workspaceId: string, operatorId: string, now: Date): Promise<Assignee | undefined> {
  if (!(await isReviewerId(tx, operatorId, workspaceId))) return undefined
  const to = representativeOf(operatorId, await findReviewingDelegates(tx, workspaceId, now))
  return { to, for: to === operatorId ? null : operatorId }
}

async function isReviewerId(db: Db, id: string, workspaceId: string): Promise<boolean> {
  const person = await findPerson(db, id)
  return person !== undefined && isReviewer(person, workspaceId)
}
