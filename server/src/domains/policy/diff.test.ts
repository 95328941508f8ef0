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
          { field: 'when', before: 'true', after: 'user.verified', weakens: true },
          { field: 'risk', before: null, after: 'high', weakens: false },
        ],
      },
      { id: 'c', fields: [{ field: 'hold_expires_in', before: 14_400_000, after: null, weakens: false }] },
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

test('diffPolicySets: marks the changes that make a rule weaker', () => {
  const strict = { verdict: 'require_approval', risk: 'high', classification: 'restricted', approvals: 2 }
  const effects = { transforms: ['redact:pii', 'truncate:100'], directives: ['max_tokens:10', 'knowledge:off'] }
  const before = rule('a', { ...strict, ...effects, at: ['input', 'output'], when: 'user.verified' })
  const weakenings = (changes: object) =>
    diffPolicySets(set([before]), set([{ ...before, ...changes }])).changed.flatMap(({ fields }) =>
      fields.filter(({ weakens }) => weakens).map(({ field }) => field),
    )
  expect(weakenings({ verdict: 'escalate', approvals: undefined })).toEqual(['verdict', 'approvals'])
  expect(weakenings({ risk: 'low', classification: undefined, on_error: 'skip' })).toEqual(['risk', 'classification', 'on_error'])
  expect(weakenings({ transforms: ['mask:pii', 'truncate:100'], directives: ['max_tokens:20', 'knowledge:off'] })).toEqual([
    'transforms',
    'directives',
  ])
  expect(weakenings({ transforms: ['redact:pii.email', 'truncate:100'] })).toEqual(['transforms'])
  expect(weakenings({ at: ['input'] })).toEqual(['at'])
  const stricter = { verdict: 'deny', approvals: undefined, risk: 'critical', at: ['input', 'output', 'message'], when: 'true' }
  expect(weakenings(stricter)).toEqual([])
  expect(weakenings({ directives: ['max_tokens:5', 'knowledge:off', 'memory:off'] })).toEqual([])
  expect(weakenings({ description: 'New.', transforms: ['redact:pii', 'redact:secret', 'truncate:50'] })).toEqual([])
})
