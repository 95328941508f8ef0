import { expect, test } from 'vitest'
import { policySet } from '../../../test/support/policies.ts'
import { diffPolicySets } from './diff.ts'

const rule = (id: string, fields: object = {}) => ({ id, at: ['input'], when: 'true', verdict: 'deny', ...fields })
const set = (rules: readonly object[], texts: object = {}) => policySet(JSON.stringify({ name: 'test', texts, rules }))

test('diffPolicySets: added, removed and changed rules, with the fields of the document', () => {
  const before = set([rule('a'), rule('b'), rule('c', { verdict: 'require_approval', hold_expires_in: '4h' })])
  const after = set([rule('b', { when: 'user.verified', risk: 'high' }), rule('c', { verdict: 'require_approval' }), rule('d')])
  expect(diffPolicySets(before, after)).toEqual({
    added: ['d'],
    removed: ['a'],
    changed: [
      {
        id: 'b',
        fields: [
          { field: 'when', before: 'true', after: 'user.verified' },
          { field: 'risk', before: null, after: 'high' },
        ],
      },
      { id: 'c', fields: [{ field: 'hold_expires_in', before: 14_400_000, after: null }] },
    ],
    reordered: false,
    texts: [],
  })
})

test('diffPolicySets: reordered rules and changed texts', () => {
  const diff = diffPolicySets(set([rule('a'), rule('b')], { x: '1', y: '2' }), set([rule('b'), rule('a')], { y: '3', z: '4' }))
  expect(diff).toEqual({ added: [], removed: [], changed: [], reordered: true, texts: ['x', 'y', 'z'] })
})

test('diffPolicySets: no changes when the sets are equal', () => {
  const diff = diffPolicySets(set([rule('a')]), set([rule('a')]))
  expect(diff).toEqual({ added: [], removed: [], changed: [], reordered: false, texts: [] })
})
