import { describe, expect, test } from 'vitest'
import type { Classification } from '../../shared/classification.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import { type Acl, allows, normalizedAcl } from './acl.ts'
import { frontMatterLabels } from './label-fields.ts'
import { effectiveClassification, UNLABELLED } from './labels.ts'

const ANN = { ...ANONYMOUS_USER, id: 'ann', role: 'agent', department: 'claims' }

describe('allows: permits', () => {
  test.each<[name: string, acl: Acl, ann: boolean, anonymous: boolean]>([
    ['all users for everyone', { everyone: true }, true, true],
    ['no user for an empty ACL', {}, false, false],
    ['no user for empty lists', { users: [], roles: [], departments: [] }, false, false],
    ['a user by id', { users: ['bob', 'ann'] }, true, false],
    ['not another user', { users: ['bob'] }, false, false],
    ['not a user with a similar id', { users: ['ann2', 'an', 'Ann'] }, false, false],
    ['a role', { roles: ['agent'] }, true, false],
    ['a department', { departments: ['claims'] }, true, false],
    ['a user in one of several lists', { users: ['bob'], departments: ['claims'] }, true, false],
    ['not a role with the name of a user', { users: ['agent'], roles: ['claims'], departments: ['ann'] }, false, false],
    ['no user for an empty name', { users: [''], roles: [''], departments: [''] }, false, false],
  ])('%s', (_, acl, ann, anonymous) => {
    expect(allows(acl, { user: ANN })).toBe(ann)
    expect(allows(acl, { user: ANONYMOUS_USER })).toBe(anonymous)
  })

  test('a role without a user id', () => {
    expect(allows({ roles: ['agent'] }, { user: { ...ANONYMOUS_USER, role: 'agent' } })).toBe(true)
  })
})

test('normalizedAcl: sorts lists and removes duplicates and empty names', () => {
  expect(normalizedAcl({ roles: [], users: ['b', '', 'a', 'b'] })).toEqual({ users: ['a', 'b'] })
  expect(normalizedAcl({ departments: [''] })).toEqual({})
  expect(normalizedAcl({ everyone: true })).toEqual({ everyone: true })
})

test.each<
  [collection: Classification | null, document: Classification | null, inside: Classification | null, is: Classification]
>([
  [null, null, null, 'restricted'],
  [null, null, 'public', 'restricted'],
  ['internal', null, null, 'internal'],
  [null, 'internal', null, 'internal'],
  ['internal', 'public', null, 'internal'],
  ['internal', 'confidential', null, 'confidential'],
  ['internal', null, 'confidential', 'confidential'],
  ['internal', null, 'public', 'internal'],
  ['public', 'internal', 'restricted', 'restricted'],
])('effectiveClassification: collection %s, document %s, front matter %s: %s', (collection, document, inside, is) => {
  const limits = { ...UNLABELLED, classification: inside }
  expect(effectiveClassification({ classification: collection }, { ...UNLABELLED, classification: document, limits })).toBe(is)
})

describe('frontMatterLabels', () => {
  test.each([
    ['no front matter', undefined, {}],
    ['no labels among other fields', { title: 'A' }, {}],
    ['empty labels', { classification: null, regulations: null, acl: null }, {}],
    ['a classification', { classification: 'confidential' }, { classification: 'confidential' }],
    ['one regulation', { regulations: 'gdpr' }, { regulations: ['gdpr'] }],
    ['regulations', { regulations: ['hipaa', 'gdpr', 'gdpr'] }, { regulations: ['gdpr', 'hipaa'] }],
    ['everyone as a word', { acl: 'everyone' }, { acl: { everyone: true } }],
    ['everyone', { acl: { everyone: true } }, { acl: { everyone: true } }],
    ['an ACL', { acl: { roles: ['b', 'a'], users: [] } }, { acl: { roles: ['a', 'b'] } }],
    ['an empty ACL', { acl: {} }, { acl: {} }],
  ])('reads %s', (_, frontMatter, labels) => {
    expect(frontMatterLabels(frontMatter)).toEqual({ ...UNLABELLED, ...labels })
  })

  test.each([
    ['classification', { classification: 'secret' }],
    ['classification', { classification: ['public'] }],
    ['regulations', { regulations: 7 }],
    ['regulations[1]', { regulations: ['gdpr', ''] }],
    ['acl', { acl: 'staff' }],
    ['acl', { acl: ['ann'] }],
    ['acl.users', { acl: { users: 'ann' } }],
    ['acl.users[0]', { acl: { users: ['a\0'] } }],
    ['acl', { acl: { role: ['agent'] } }],
    ['acl.everyone', { acl: { everyone: false } }],
    ['acl', { acl: { everyone: true, users: ['ann'] } }],
  ])('names the field of an invalid label: %s', (param, frontMatter) => {
    expect(() => frontMatterLabels(frontMatter)).toThrow(`Front matter: ${param}`)
  })
})
