import { isValidIBAN } from 'ibantools'
import { isValidPhoneNumber } from 'libphonenumber-js'
import { expect, test } from 'vitest'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { stubCompletion } from './stub.ts'

const ask = (content: string, parameters: object = {}) =>
  stubCompletion(
    { model: 'demo-small', messages: [{ role: 'user', content }], parameters: { ...parameters } },
    { newId: () => 'chatcmpl_1', created: 7 },
  )
const text = (content: string, parameters?: object) => String(ask(content, parameters).choices[0]?.message.content)

test('the same question gets the same answer, another question another', () => {
  expect(ask('Summarise the meeting')).toEqual(ask('Summarise the meeting'))
  expect(text('Summarise the meeting')).not.toBe(text('Draft a reply'))
})

test('payment details hold a valid IBAN', () => {
  const answer = text('What are the bank details of our supplier Brightwater?')
  expect(isValidIBAN((/GB[\dA-Z ]+\d/.exec(answer)?.[0] ?? '').replaceAll(' ', ''))).toBe(true)
})

test('a customer contact holds an e-mail address and a valid phone number', () => {
  const answer = text('How can we reach the customer Northgate? I need a phone number.')
  expect(answer).toMatch(/\b[\w.]+@[\w.]+\.example\.com\b/)
  expect(isValidPhoneNumber(/\+[\d ]+\d/.exec(answer)?.[0] ?? '')).toBe(true)
})

test('quotes what it was sent, so that redactions show', () => expect(text('Is [EMAIL] a good address?')).toContain('[EMAIL]'))

test('counts tokens, keeps to max_tokens, answers n times and in JSON', () => {
  const completion_tokens = Math.ceil(text('Hello there').length / 4)
  expect(ask('Hello there').usage).toEqual({ prompt_tokens: 3, completion_tokens, total_tokens: 3 + completion_tokens })
  expect(ask('Hello there', { max_tokens: 5 })).toMatchObject({
    choices: [{ finish_reason: 'length' }],
    usage: { completion_tokens: 5 },
  })
  expect(ask('Hello there', { n: 3 }).choices.map(({ index }) => index)).toEqual([0, 1, 2])
  expect(JSON.parse(text('Hello there', { response_format: { type: 'json_object' } }))).toHaveProperty('answer')
})

test('a megabyte of anything is answered at once', () => {
  const askAll = () => {
    for (const piece of ['a', ' ', '@', '😀', 'bank ']) ask(piece.repeat(1_048_576 / piece.length))
  }
  expect(cpuMs(askAll)).toBeLessThan(500)
})
