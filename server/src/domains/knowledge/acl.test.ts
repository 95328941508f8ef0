import { describe, expect, test } from 'vitest'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import { type Acl, allows, normalizedAcl } from './acl.ts'

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
    expect(allows(acl, ANN)).toBe(ann)
    expect(allows(acl, ANONYMOUS_USER)).toBe(anonymous)
  })

  test('a role without a user id', () => {
    expect(allows({ roles: ['agent'] }, { ...ANONYMOUS_USER, role: 'agent' })).toBe(true)
  })
})

test('normalizedAcl: sorts lists and removes duplicates and empty names', () => {
  expect(normalizedAcl({ roles: [], users: ['b', '', 'a', 'b'] })).toEqual({ users: ['a', 'b'] })
  expect(normalizedAcl({ departments: [''] })).toEqual({})
  expect(normalizedAcl({ everyone: true })).toEqual({ everyone: true })
})
