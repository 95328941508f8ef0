import { expect, test } from 'vitest'
import { ANONYMOUS_USER } from '../../../shared/principal.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { Member } from './member.ts'
import { type RequestKind, UserRateLimiter } from './user-rate-limiter.ts'

const memberOf = (id: string, workspaceId = 'ws_a'): Member => ({ workspaceId, user: { ...ANONYMOUS_USER, id } })

function admit(userRateLimiter: UserRateLimiter, member: Member, kind: RequestKind): true | Refusal {
  const admission = userRateLimiter.admit(member, kind)
  return admission instanceof Refusal ? admission : true
}

test('rate limit: each user sends 20 messages at once and then 5 per second, apart from other requests', () => {
  let now = 0
  const userRateLimiter = new UserRateLimiter(undefined, () => now)
  const ann = memberOf('ann')
  for (let i = 0; i < 20; i++) expect(admit(userRateLimiter, ann, 'send')).toBe(true)
  const refusal = admit(userRateLimiter, ann, 'send') as Refusal
  expect(refusal.code).toBe('RATE_LIMITED')
  expect(refusal.fields.headers).toEqual({
    'ratelimit-policy': '"user";q=5;w=1;gatehouse-burst=20',
    ratelimit: '"user";r=0;t=1',
    'retry-after': '1',
  })
  expect(refusal.fields.message).toMatch(/gateway's limit of 5 messages per second .* is reached\. Try again in 1 s/)
  expect(admit(userRateLimiter, ann, 'other')).toBe(true)
  expect(admit(userRateLimiter, memberOf('ben'), 'send')).toBe(true)
  expect(admit(userRateLimiter, memberOf('ann', 'ws_b'), 'send')).toBe(true)
  now += 200
  expect([admit(userRateLimiter, ann, 'send'), admit(userRateLimiter, ann, 'send') === true]).toEqual([true, false])
})

test('rate limit: each user sends 20 other requests per second', () => {
  let now = 0
  const userRateLimiter = new UserRateLimiter(undefined, () => now)
  for (let second = 0; second < 3; second++) {
    const results = Array.from({ length: 40 }, () => admit(userRateLimiter, memberOf('ann'), 'other') === true)
    expect(results.filter(Boolean)).toHaveLength(20)
    now += 1_000
  }
})
