import { describe, expect, test } from 'vitest'
import { frontMatterLabels } from './label-fields.ts'
import { UNLABELLED } from './labels.ts'

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
