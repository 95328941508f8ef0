import type { ReviewItem } from './review-item.ts'

export type Verb = 'approve' | 'deny' | 'acknowledge'

/** A decision on one item, or on several escalations. */
export interface Decision {
  readonly items: readonly ReviewItem[]
  readonly verb: Verb
  readonly comment: string
  /** Id of the operator. */
  readonly by: string
  readonly at: string
}

const STATES = { approve: 'approved', deny: 'denied', acknowledge: 'acknowledged' } as const

/** The item as it will be when the decisions are sent. */
export function asDecided(item: ReviewItem, decisions: readonly Decision[]): ReviewItem {
  const decision = decisions.find(({ items }) => items.some(({ id }) => id === item.id))
  if (!decision || item.state !== 'pending') return item
  const { verb, by, at } = decision
  const comment = decision.comment || null
  if (verb === 'approve' && item.required_approvals > 1) {
    if (item.approvals.some((approval) => approval.by === by)) return item
    const approvals = [...item.approvals, { by, at, comment }]
    if (approvals.length < item.required_approvals) return { ...item, approvals }
  }
  return { ...item, state: STATES[verb], decided_by: by, decided_at: at, comment }
}

/** How many items the decisions take out of the queue. */
export const countDecided = (decisions: readonly Decision[]): number =>
  decisions.flatMap(({ items }) => items.filter((item) => asDecided(item, decisions).state !== 'pending')).length
