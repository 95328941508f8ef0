import type { ErrorCode } from '../../errors.ts'

/** What an assistant says instead of an answer: plain words, and nothing of what was asked or of who decided. */
export const HELD_NOTICE = 'A reviewer has to approve this first. I will answer here once that is done.'

export const EMPTY_NOTICE = 'I have nothing to say to that.'

const FAILED = 'Something went wrong, and I have no answer. Please ask again.'

const BY_CODE: Partial<Readonly<Record<ErrorCode, string>>> = {
  POLICY_DENIED: 'I may not answer this: the policies of this workspace do not allow it.',
  POLICY_REVIEW_DENIED: 'A reviewer has looked at this and decided that I may not answer it.',
  REVIEW_HOLD_EXPIRED: 'Nobody has decided in time whether I may answer this. Please ask again if you still need it.',
  NO_ELIGIBLE_PROVIDER: 'There is no model that may answer this.',
  PROVIDER_ERROR: 'The model that answers for me cannot be reached, or did not give an answer. Please ask again later.',
  PROVIDER_TIMEOUT: 'The model that answers for me took too long. Please ask again later.',
  RATE_LIMITED: 'I was asked too much at once to answer this. Please ask again later.',
}

const REFUSED = 'The model that answers for me does not accept this. Please ask in another way, or in fewer words.'

export const noticeFor = (code: ErrorCode, reason?: unknown): string =>
  reason === 'provider_refused' ? REFUSED : (BY_CODE[code] ?? FAILED)
