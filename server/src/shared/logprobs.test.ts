import { expect, test } from 'vitest'
import type { Completion } from './completion.ts'
import { withInspectedLogprobs } from './logprobs.ts'

const token = (text: string, alternatives: string[] = []) => ({
  token: text,
  logprob: -0.1,
  bytes: [1, 2, 3],
  hidden: 'carried along',
  top_logprobs: alternatives.map((other) => ({ token: other, logprob: -2, bytes: null })),
})

const answer = (content: string, ...tokens: object[]): Completion => ({
  id: 'chatcmpl_1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', logprobs: { content: tokens, refusal: null } },
  ],
})

const leaving = (completion: Completion, { unchanged = true, outputRules = false } = {}) =>
  JSON.stringify(withInspectedLogprobs(completion, unchanged, outputRules))

test('tokens that are the inspected text leave, rebuilt from what was read', () => {
  const text = leaving(answer('Good day', token('Good', ['Bad']), token(' day')))
  expect(text).toContain('"token":"Good"')
  expect(text).toContain('"token":"Bad"')
  expect(text).not.toContain('carried along')
  expect(text).not.toContain('[1,2,3]')
})

test('tokens that say something else than the inspected text stay behind', () => {
  expect(leaving(answer('Good day', token('the password is'), token(' swordfish')))).not.toContain('swordfish')
})

test('what the model might have said stays behind where output rules would have to read it', () => {
  const text = leaving(answer('Good day', token('Good', ['swordfish']), token(' day')), { outputRules: true })
  expect(text).toContain('"token":"Good"')
  expect(text).not.toContain('swordfish')
})

test('nothing of the tokens leaves with a text that was changed', () => {
  const text = leaving(answer('Good day', token('Good'), token(' day')), { unchanged: false })
  expect(text).toContain('"logprobs":null')
  expect(text).not.toContain('"token"')
})

test.each([4_111_111_111_111_111, 0.5, Number.POSITIVE_INFINITY, Number.NaN])(
  'what is no probability stays behind: %d',
  (logprob) => {
    expect(leaving(answer('Good day', { ...token('Good'), logprob }, token(' day')))).toContain('"logprobs":null')
  },
)

test('tokens of a refusal leave if they are its text', () => {
  const message = { role: 'assistant', content: null, refusal: 'No' }
  const refused = (text: string): Completion => ({
    ...answer(''),
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: { content: null, refusal: [token(text)] } }],
  })
  expect(leaving(refused('No'))).toContain('"logprobs":{"content":null,"refusal":[{"token":"No"')
  expect(leaving(refused('swordfish'))).not.toContain('swordfish')
})

test('an impossible token is as impossible as the API says it', () => {
  const text = leaving(answer('Good', { ...token('Good'), logprob: -4_111_111_111_111_111 }))
  expect(text).toContain('"logprob":-9999')
  expect(text).not.toContain('4111')
})
