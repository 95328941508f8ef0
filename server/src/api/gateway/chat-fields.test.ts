import { expect, test } from 'vitest'
import { fieldProblem } from './chat-fields.ts'

test.each(['toString', 'valueOf'])('fields: %s is a field like others, although every object inherits it', (name) => {
  expect(fieldProblem({ [name]: 'x' })).toBeUndefined()
})

test('fields: a field that the gateway cannot govern is named', () => {
  expect(fieldProblem({ plugins: [{}] })?.param).toBe('plugins')
})
