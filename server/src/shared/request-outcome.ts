/** How requests end. The verdict of the policies is only a part of it: a request that policies allow may be refused or fail. */
export const OUTCOMES = ['allowed', 'redacted', 'escalated', 'held', 'denied', 'refused', 'failed', 'canceled'] as const
export type RequestOutcome = (typeof OUTCOMES)[number]

/** The part of an audit record that tells how its request ended. */
export interface EndedRequest {
  readonly status: number
  readonly error_code?: string | null | undefined
  readonly decision?: { readonly verdict: string; readonly transforms?: readonly string[] } | null | undefined
}

const CLIENT_CLOSED = 499

const BY_VERDICT: Readonly<Record<string, RequestOutcome>> = {
  escalate: 'escalated',
  require_approval: 'held',
  deny: 'denied',
}

/** Undefined: the request needed no decision, such as a list of models, or it is a change by an operator. */
export function outcomeOf({ status, error_code: code, decision }: EndedRequest): RequestOutcome | undefined {
  if (code === 'POLICY_REVIEW_PENDING') return 'held'
  if (code?.startsWith('POLICY_')) return 'denied'
  if (status === CLIENT_CLOSED) return 'canceled'
  if (status >= 400) return status < 500 ? 'refused' : 'failed'
  if (decision?.verdict !== 'allow') return BY_VERDICT[decision?.verdict ?? '']
  return decision.transforms?.length ? 'redacted' : 'allowed'
}
