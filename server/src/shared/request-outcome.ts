/** How requests end. The verdict of the policies is only a part of it: a request that policies allow may be refused or fail. */
export const OUTCOMES = ['allowed', 'redacted', 'escalated', 'held', 'denied', 'refused', 'failed', 'canceled'] as const
export type RequestOutcome = (typeof OUTCOMES)[number]

/** The part of an audit record that tells how its request ended. */
export interface EndedRequest {
  readonly status: number
  readonly error_code?: string | null | undefined
  readonly decision?: { readonly verdict: string; readonly transforms?: readonly string[] } | null | undefined
  readonly review?: { readonly state?: string } | null | undefined
}

const CLIENT_CLOSED = 499

/** States of the review item in the record of a request that was answered after its approval; `known`: the same completion again. */
export const PASSED_HOLDS: readonly string[] = ['released', 'known']

const BY_VERDICT: Readonly<Record<string, RequestOutcome>> = {
  escalate: 'escalated',
  require_approval: 'held',
  deny: 'denied',
}

/** Undefined: the request needed no decision, such as a list of models, or it is a change by an operator. */
export function outcomeOf({ status, error_code: code, decision, review }: EndedRequest): RequestOutcome | undefined {
  if (code === 'POLICY_REVIEW_PENDING') return 'held'
  if (code?.startsWith('POLICY_')) return 'denied'
  if (status === CLIENT_CLOSED) return 'canceled'
  if (status >= 400) return status < 500 ? 'refused' : 'failed'
  const isApproved = decision?.verdict === 'require_approval' && PASSED_HOLDS.includes(review?.state ?? '')
  if (!decision || (decision.verdict !== 'allow' && !isApproved)) return BY_VERDICT[decision?.verdict ?? '']
  return decision.transforms?.length ? 'redacted' : 'allowed'
}
