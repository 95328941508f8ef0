import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { resettableWord } from './fields.ts'
import { checker } from './schema.ts'

test('checker: names every word of a list when a text is none of twenty', () => {
  const words = Array.from({ length: 20 }, (_, at) => `word-${at}`)
  const check = checker(Type.Object({ choice: resettableWord(words) }))
  expect(check({ choice: 'word-19' }).ok).toBe(true)
  expect(check({ choice: null }).ok).toBe(true)
  const quoted = words.map((word) => JSON.stringify(word)).join(', ')
  expect(check({ choice: 'word' })).toEqual({ ok: false, problem: { param: 'choice', message: `must be one of ${quoted}` } })
})
