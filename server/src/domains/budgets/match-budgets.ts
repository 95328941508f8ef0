import { isStorable } from '../../platform/lib/fields.ts'
import type { User } from '../../shared/principal.ts'
import type { Budget } from './budget.ts'
import type { BudgetScope } from './budget-words.ts'

/** The values of a request that select its budgets. */
export interface Spender {
  readonly applicationId: string
  /** `key_…`, the first of its rotation; empty: code of this server or an operator calls. */
  readonly keyId: string
  /** Absent: the key has none. */
  readonly teamId?: string | undefined
  readonly user: User
}

/** A budget that counts a request, and the member that the request counts for. */
export interface MatchedBudget {
  readonly budget: Budget
  /** Empty: the whole Workspace, or the requests that name no member. */
  readonly subject: string
}

const MAX_SUBJECT = 200
/** Values of one claim, each of which has a separate count. */
const MAX_COUNTS = 100

/**
 * The budgets that count a request. A budget of each member counts requests that name no member together: they would otherwise evade
 * it. A list in a claim counts for each of its first 100 values.
 */
export const matchBudgets = (budgets: readonly Budget[], spender: Spender): readonly MatchedBudget[] =>
  budgets.flatMap((budget) => {
    if (!budget.enabled || (budget.applicationId !== null && budget.applicationId !== spender.applicationId)) return []
    const members = MEMBERS[budget.scope](spender, budget.claim)
    if (budget.member === null) return [...new Set(members)].slice(0, MAX_COUNTS).map((subject) => ({ budget, subject }))
    return members.includes(budget.member) ? [{ budget, subject: budget.member }] : []
  })

/** The members that a request counts for; an empty text for none. */
const MEMBERS: Readonly<Record<BudgetScope, (spender: Spender, claim: string) => readonly string[]>> = {
  workspace: () => [''],
  application: ({ applicationId }) => [applicationId],
  // A client cannot leave the team of its key, so requests without one evade nothing.
  team: ({ teamId }) => (teamId === undefined ? [] : [teamId]),
  key: ({ keyId }) => [keyId],
  user: ({ user }) => [subjectOf(user.id)],
  department: ({ user }) => [subjectOf(user.department)],
  claim: ({ user }, claim) => claimValues(user, claim),
}

/** Only a verified user's attributes count: an Application could assert any. */
function claimValues({ attributes, verified }: User, claim: string): readonly string[] {
  const value = verified && Object.hasOwn(attributes, claim) ? attributes[claim] : undefined
  const values = (Array.isArray(value) ? value : [value]).filter(
    (one) => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean',
  )
  return values.length === 0 ? [''] : values.map((one) => subjectOf(String(one)))
}

const subjectOf = (text: string): string => (text.length <= MAX_SUBJECT && isStorable(text) ? text : '')
