import { describe, expect, test } from 'vitest'
import { NOBODY } from '../domain/principal.ts'
import { type Acl, allows, normalizedAcl } from './acl.ts'

const ANN = { ...NOBODY, id: 'ann', role: 'agent', department: 'claims' }

describe('an ACL lets in', () => {
  test.each<[what: string, acl: Acl, ann: boolean, nobody: boolean]>([
    ['everyone', { everyone: true }, true, true],
    ['nobody when it is empty', {}, false, false],
    ['nobody when its lists are', { users: [], roles: [], departments: [] }, false, false],
    ['a user by id', { users: ['bob', 'ann'] }, true, false],
    ['not another user', { users: ['bob'] }, false, false],
    ['not a user whose id begins alike', { users: ['ann2', 'an', 'Ann'] }, false, false],
    ['a role', { roles: ['agent'] }, true, false],
    ['a department', { departments: ['claims'] }, true, false],
    ['whoever one of the lists names', { users: ['bob'], departments: ['claims'] }, true, false],
    ['not a role that is called like a user', { users: ['agent'], roles: ['claims'], departments: ['ann'] }, false, false],
    ['nobody by an empty word', { users: [''], roles: [''], departments: [''] }, false, false],
  ])('%s', (_, acl, ann, nobody) => {
    expect(allows(acl, ANN)).toBe(ann)
    expect(allows(acl, NOBODY)).toBe(nobody)
  })

  test('a role that is vouched for without an id', () => {
    expect(allows({ roles: ['agent'] }, { ...NOBODY, role: 'agent' })).toBe(true)
  })
})

test('one form for each meaning', () => {
  expect(normalizedAcl({ roles: [], users: ['b', '', 'a', 'b'] })).toEqual({ users: ['a', 'b'] })
  expect(normalizedAcl({ departments: [''] })).toEqual({})
  expect(normalizedAcl({ everyone: true })).toEqual({ everyone: true })
})
