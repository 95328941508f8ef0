import { expect, test } from 'vitest'
import { checkDraft } from './memory.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const draft = { content: 'tea', summary: null, expiresAt: null }

test('checkDraft: accepts a valid draft up to the limits', () => {
  expect(checkDraft(draft, NOW)).toBeUndefined()
  const most = { content: 'ä'.repeat(8_192), summary: 'x'.repeat(4_096), expiresAt: new Date(NOW.getTime() + 1) }
  expect(checkDraft(most, NOW)).toBeUndefined()
})

test.each([
  ['content', { content: ' \n' }],
  ['content', { content: `${'ä'.repeat(8_192)}x` }],
  ['content', { content: 'a\0b' }],
  ['content', { content: 'a\ud800b' }],
  ['summary', { summary: 'x'.repeat(4_097) }],
  ['summary', { summary: '\0' }],
  ['expires_at', { expiresAt: NOW }],
  ['expires_at', { expiresAt: new Date('2020-01-01') }],
  ['expires_at', { expiresAt: new Date('no date') }],
  ['expires_at', { expiresAt: new Date('9999-12-31T23:59:59.999-00:01') }],
])('checkDraft: names %s when it is invalid: %j', (param, fields) => {
  expect(checkDraft({ ...draft, ...fields }, NOW)).toMatchObject({ param, message: expect.any(String) })
})
