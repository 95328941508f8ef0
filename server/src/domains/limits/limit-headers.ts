import type { ApplicationLimits, RateLimits } from '../../shared/principal.ts'

export type LimitName = 'requests' | 'user' | 'tokens' | 'concurrency'

/** A limit that does not admit a request, and the milliseconds until it may. */
export interface FullLimit {
  readonly limit: LimitName
  readonly waitMs: number
  readonly limits: RateLimits
  /** As refusals name it: `this API key`. */
  readonly owner: string
}

/** Remaining whole units of a limit, and the milliseconds until one more is available (absent: the limit has no window). */
export interface LimitState {
  readonly name: LimitName
  readonly units: number
  readonly nextMs?: number
}

/** `Retry-After` of a request that can never be admitted; its headers also ask clients not to retry. */
const NEVER_SECONDS = 60
/** The OpenAI client ignores longer waits and retries at once (GW-RETRY-1). */
export const LONGEST_RETRY_SECONDS = 60

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/**
 * `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11, section 3. The draft has no parameter for a burst, so the parameter has
 * a vendor prefix, as the draft requires. The unit `tokens` is not in its registry.
 */
export function policyHeader(limits: ApplicationLimits): string {
  const policies = [`"requests";q=${limits.requests_per_minute};w=60;gatehouse-burst=${limits.burst}`]
  if (limits.user_requests_per_minute !== null) policies.push(`"user";q=${limits.user_requests_per_minute};w=60`)
  if (limits.tokens_per_minute !== null) policies.push(`"tokens";q=${limits.tokens_per_minute};qu="tokens";w=60`)
  policies.push(`"concurrency";q=${limits.concurrency};qu="concurrent-requests"`)
  return policies.join(', ')
}

/**
 * The headers `RateLimit-Policy` and `RateLimit` (section 4). A refusal also has `Retry-After`, which is never earlier than the window in
 * `RateLimit` (section 6). `waitMs` is Infinity for a request that is larger than the limit itself.
 */
export function limitHeaders(
  policy: string,
  states: readonly LimitState[],
  refusal?: { readonly limit: LimitName; readonly waitMs: number },
): { seconds: number; headers: Record<string, string> } {
  const wait = refusal && (Number.isFinite(refusal.waitMs) ? seconds(refusal.waitMs) : NEVER_SECONDS)
  const items = states.map(({ name, units, nextMs }) => {
    const window = name === refusal?.limit ? wait : nextMs === undefined ? undefined : seconds(nextMs)
    return window === undefined ? `"${name}";r=${units}` : `"${name}";r=${units};t=${window}`
  })
  const headers: Record<string, string> = { 'ratelimit-policy': policy, ratelimit: items.join(', ') }
  if (refusal === undefined || wait === undefined) return { seconds: 0, headers }
  headers['retry-after'] = String(wait)
  if (refusal.waitMs > LONGEST_RETRY_SECONDS * 1_000) headers['x-should-retry'] = 'false'
  return { seconds: wait, headers }
}

/** Public text of a refusal. It names the gateway, because providers have limits too. */
export function refusalText(
  { limit, waitMs, limits, owner }: FullLimit,
  { user_requests_per_minute, concurrency }: ApplicationLimits,
  tokens: number,
  retrySeconds: number,
): string {
  if (!Number.isFinite(waitMs)) {
    return `This request of about ${tokens} tokens is larger than the gateway's limit of ${limits.tokens_per_minute} tokens per minute for ${owner}. Send a smaller request.`
  }
  const descriptions = {
    requests: `${limits.requests_per_minute} requests per minute (burst ${limits.burst}) for ${owner}`,
    user: `${user_requests_per_minute} requests per minute for one user`,
    tokens: `${limits.tokens_per_minute} tokens per minute for ${owner}`,
    concurrency: `${concurrency} concurrent requests for ${owner}`,
  }
  return `The gateway's limit of ${descriptions[limit]} is reached. Try again in ${retrySeconds} s.`
}
