import { describe, expect, test } from 'vitest'
import { labelsInside } from './front-matter.ts'
import { UNLABELLED } from './labels.ts'

describe('labels in front matter', () => {
  test.each([
    ['none', undefined, {}],
    ['no labels among others', { title: 'A' }, {}],
    ['empty ones', { classification: null, regulations: null, acl: null }, {}],
    ['a classification', { classification: 'confidential' }, { classification: 'confidential' }],
    ['one regulation', { regulations: 'gdpr' }, { regulations: ['gdpr'] }],
    ['regulations', { regulations: ['hipaa', 'gdpr', 'gdpr'] }, { regulations: ['gdpr', 'hipaa'] }],
    ['everyone in a word', { acl: 'everyone' }, { acl: { everyone: true } }],
    ['everyone', { acl: { everyone: true } }, { acl: { everyone: true } }],
    ['an ACL', { acl: { roles: ['b', 'a'], users: [] } }, { acl: { roles: ['a', 'b'] } }],
    ['an ACL of nobody', { acl: {} }, { acl: {} }],
  ])('%s', (_, frontMatter, labels) => {
    expect(labelsInside(frontMatter)).toEqual({ ...UNLABELLED, ...labels })
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
  ])('what cannot be understood is refused by name: %s', (param, frontMatter) => {
    expect(() => labelsInside(frontMatter)).toThrow(`Front matter: ${param}`)
  })
})
