import { expect, test } from 'vitest'
import { excerptOf } from './excerpt.ts'
import type { HoldContent } from './review.ts'

const user = (content: unknown) => ({ role: 'user', content }) as HoldContent['messages'][number]

test('excerpt: is the last message of the user, on one line', () => {
  const messages = [user('First.'), user('Pay\n\n  the invoice.'), { role: 'assistant', content: 'Which?' } as never]
  expect(excerptOf({ messages })).toBe('Pay the invoice.')
})

test('excerpt: is the completion when that is held', () => {
  const completion = { choices: [{ message: { role: 'assistant', content: 'The offer stands.' } }] } as never
  expect(excerptOf({ messages: [user('Question')], completion })).toBe('The offer stands.')
})

test('excerpt: reads the texts of parts, and is undefined without a text', () => {
  expect(
    excerptOf({ messages: [user([{ type: 'text', text: 'One' }, { type: 'image_url' }, { type: 'text', text: 'two' }])] }),
  ).toBe('One two')
  expect(excerptOf({ messages: [user([{ type: 'image_url' }])] })).toBe(undefined)
  expect(excerptOf({ messages: [] })).toBe(undefined)
})

test('excerpt: a long text is cut between words, and never inside of a character', () => {
  const excerpt = excerptOf({ messages: [user(`${'word '.repeat(2_000)}`)] }) ?? ''
  expect(excerpt.length).toBeLessThanOrEqual(161)
  expect(excerpt.endsWith('word…')).toBe(true)
  expect(excerptOf({ messages: [user(`a${'😀'.repeat(200)}`)] })?.isWellFormed()).toBe(true)
})
