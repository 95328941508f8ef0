import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CLASSIFICATIONS } from '../../shared/classification.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import type { Acl } from './acl.ts'
import { explainVisibility } from './explain-visibility.ts'
import { isVisible } from './labels.ts'

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
    .map((user) => ({ ...ANONYMOUS_USER, ...user })),
  ceiling: fc.constantFrom(...CLASSIFICATIONS),
})

test('explainVisibility: all rules pass exactly when the document is visible', () => {
  fc.assert(
    fc.property(viewer, collection, access, access, (viewer, collection, document, limits) => {
      const checks = explainVisibility(viewer, collection, { ...document, limits })
      expect(checks.every(({ passed }) => passed)).toBe(isVisible(viewer, collection, { ...document, limits }))
    }),
    { numRuns: 2_000 },
  )
})

test('explainVisibility: explains each failed rule', () => {
  const reader = { workspaceId: 'ws_', applicationId: 'app_a', sessionId: '', user: ANONYMOUS_USER, ceiling: 'internal' } as const
  const closed = { classification: null, acl: { departments: ['hr', 'legal'] }, applications: ['app_b'] }
  const document = { classification: null, acl: null, limits: { classification: null, acl: null } }
  expect(explainVisibility(reader, closed, document).map(({ because }) => because)).toEqual([
    'The collection serves other Applications only.',
    'The document is restricted, because neither the document nor its collection has a classification. The user may see documents up to internal.',
    "The collection's readers are the departments hr, legal, and the user is not among them.",
  ])
})
