import type { ErrorCode } from '../../../errors.ts'

/** Messages that an assistant sends instead of a completion. They name neither the content of the request nor the reviewer. */
export const HELD_NOTICE = 'A reviewer has to approve this first. I will answer here once that is done.'

export const EMPTY_NOTICE = 'I have nothing to say to that.'

const FAILED_NOTICE = 'Something went wrong, and I have no answer. Please ask again.'

const NOTICES: Partial<Readonly<Record<ErrorCode, string>>> = {
  POLICY_DENIED: 'I may not answer this: the policies of this workspace do not allow it.',
  POLICY_REVIEW_DENIED: 'A reviewer has decided that I may not answer this.',
  REVIEW_HOLD_EXPIRED: 'No reviewer decided in time whether I may answer this. Please ask again if you still need it.',
  NO_ELIGIBLE_PROVIDER: 'There is no model that may answer this.',
  PROVIDER_ERROR: 'The model that answers for me cannot be reached, or did not give an answer. Please ask again later.',
  PROVIDER_TIMEOUT: 'The model that answers for me took too long. Please ask again later.',
  BUDGET_EXCEEDED: 'The budget for my answers is used up. Please ask again later, or ask your administrator.',
  RATE_LIMITED: 'I have too many questions to answer at the moment. Please ask again later.',
}

const PROVIDER_REFUSED_NOTICE =
  'The model that answers for me does not accept this. Please ask in another way, or in fewer words.'

/** `reason`: the reason in the details of the error, if there is one. */
export const noticeFor = (code: ErrorCode, reason?: unknown): string =>
  reason === 'provider_refused' ? PROVIDER_REFUSED_NOTICE : (NOTICES[code] ?? FAILED_NOTICE)
