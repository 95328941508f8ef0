import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CLASSIFICATIONS } from '../domain/classification.ts'
import { NOBODY } from '../domain/principal.ts'
import type { Acl } from './acl.ts'
import { isVisible } from './labels.ts'
import { whyVisible } from './why-visible.ts'

const label = fc.option(fc.constantFrom(...CLASSIFICATIONS))
const lists = fc.record(
  { users: fc.subarray(['ann', 'bob']), roles: fc.subarray(['agent']), departments: fc.subarray(['claims']) },
  { requiredKeys: [] },
)
const acl = fc.option(fc.oneof(fc.constant<Acl>({ everyone: true }), lists as fc.Arbitrary<Acl>))
const access = fc.record({ classification: label, acl })
const collection = fc.record({
  classification: label,
  acl,
  applications: fc.option(fc.subarray(['app_a', 'app_b'])),
})
const viewer = fc.record({
  workspaceId: fc.constant('ws_'),
  applicationId: fc.constantFrom('app_a', 'app_b'),
  sessionId: fc.constant(''),
  user: fc
    .record({
      id: fc.constantFrom('', 'ann', 'bob'),
      role: fc.constantFrom('', 'agent'),
      department: fc.constantFrom('', 'claims'),
    })
    .map((user) => ({ ...NOBODY, ...user })),
  ceiling: fc.constantFrom(...CLASSIFICATIONS),
})

test('all rules pass exactly where the document is visible', () => {
  fc.assert(
    fc.property(viewer, collection, access, access, (who, shelf, document, limits) => {
      const checks = whyVisible(who, shelf, { ...document, limits })
      expect(checks.every(({ passed }) => passed)).toBe(isVisible(who, shelf, { ...document, limits }))
    }),
    { numRuns: 2_000 },
  )
})

test('the sentences say what is the matter', () => {
  const who = { workspaceId: 'ws_', applicationId: 'app_a', sessionId: '', user: NOBODY, ceiling: 'internal' } as const
  const shelf = { classification: null, acl: { departments: ['hr', 'legal'] }, applications: ['app_b'] }
  const document = { classification: null, acl: null, limits: { classification: null, acl: null } }
  expect(whyVisible(who, shelf, document).map(({ because }) => because)).toEqual([
    'The collection serves other Applications only.',
    'The document is restricted, since neither it nor its collection has a label; here the user may see what is internal at most.',
    'The collection lets in the departments hr, legal, and the user is none of them.',
  ])
})
