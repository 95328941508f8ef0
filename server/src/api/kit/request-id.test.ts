import { describe, expect, test } from 'vitest'
import { newCredential } from '../../platform/lib/credential.ts'
import { requestIdOf } from './request-id.ts'

const idFor = (own: string): string => requestIdOf({ headers: { 'x-request-id': own } } as never)

describe('request ids', () => {
  test("requestIdOf: keeps a caller's own id when it is well-formed", () => {
    for (const own of ['req-1', '0af7651916cd43dd8448eb211c80319c', 'gk_short', 'a.b.c']) expect(idFor(own)).toBe(own)
    expect(idFor('two words')).toMatch(/^req_/)
  })

  test.each(['gk_', 'ga_', 'gu_'] as const)(
    'requestIdOf: makes a new id when the caller sends a credential %s… as its id',
    (prefix) => {
      const { secret } = newCredential(prefix)
      for (const own of [secret, `x-${secret}`, secret.slice(0, 30)]) expect(idFor(own)).toMatch(/^req_/)
    },
  )

  test('requestIdOf: makes a new id when the caller sends a user token as its id', () => {
    expect(idFor('eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl')).toMatch(/^req_/)
  })
})
