import { isValidIBAN } from 'ibantools'
import { isValidPhoneNumber } from 'libphonenumber-js'
import { expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { stubCompletion } from './stub.ts'

const complete = (content: string, parameters: object = {}) =>
  stubCompletion(
    { model: 'demo-small', messages: [{ role: 'user', content }], parameters: { ...parameters } },
    { newId: () => 'chatcmpl_1', created: 7 },
  )
const text = (content: string, parameters?: object) => String(complete(content, parameters).choices[0]?.message.content)

test('stub: equal requests have equal completions, other requests have others', () => {
  expect(complete('Summarise the meeting')).toEqual(complete('Summarise the meeting'))
  expect(text('Summarise the meeting')).not.toBe(text('Draft a reply'))
})

test('stub: payment details have a valid IBAN', () => {
  const content = text('What are the bank details of our supplier Brightwater?')
  expect(isValidIBAN((/GB[\dA-Z ]+\d/.exec(content)?.[0] ?? '').replaceAll(' ', ''))).toBe(true)
})

test('stub: a contact has an e-mail address and a valid phone number', () => {
  const content = text('How can we reach the customer Northgate? I need a phone number.')
  expect(content).toMatch(/\b[\w.]+@[\w.]+\.example\.com\b/)
  expect(isValidPhoneNumber(/\+[\d ]+\d/.exec(content)?.[0] ?? '')).toBe(true)
})

test('stub: quotes the message as received', () => expect(text('Is [EMAIL] a good address?')).toContain('[EMAIL]'))

test('stub: quotes two passages and two memories as received', () => {
  const piece = (kind: string, text: string) => `--- 0a1b ${kind} id_1: Title\n${text}\n--- 0a1b end of ${kind}`
  const context = [
    'Reference material',
    piece('passage', 'Bikes.\nAll day.'),
    ...['One', 'Two', 'Three'].map((text) => piece('memory', text)),
  ]
  const request = { model: 'demo-small', messages: [{ role: 'user', content: 'Where?' }], parameters: {} }
  const added = { systemTexts: [], context: context.join('\n\n') }
  const { choices } = stubCompletion({ ...request, added }, { newId: () => 'chatcmpl_1', created: 7 })
  expect(choices[0]?.message.content).toContain('“Where?” The documents say: “Bikes. All day.” I remember: “One” “Two” As the')
  const [unquoted] = stubCompletion({ ...request, added: { ...added, context: '' } }, { newId: () => 'c', created: 7 }).choices
  expect(unquoted?.message.content).toContain('“Where?” As the built-in')
})

test('stub: counts tokens and supports max_tokens, n and JSON mode', () => {
  const completion_tokens = Math.ceil(text('Hello there').length / 4)
  expect(complete('Hello there').usage).toEqual({ prompt_tokens: 3, completion_tokens, total_tokens: 3 + completion_tokens })
  const limited = complete('Hello there', { max_tokens: 5 })
  expect(limited).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 5 } })
  expect(complete('Hello there', { n: 3 }).choices.map(({ index }) => index)).toEqual([0, 1, 2])
  expect(JSON.parse(text('Hello there', { response_format: { type: 'json_object' } }))).toHaveProperty('answer')
})

test('stub: completes a message of one megabyte in bounded time', () => {
  const completeAll = () => {
    for (const piece of ['a', ' ', '@', '😀', 'bank ']) complete(piece.repeat(1_048_576 / piece.length))
  }
  expect(cpuMs(completeAll)).toBeLessThan(5_000)
})

test('stub: calls the function that the question names, and quotes its result', () => {
  const schema = { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] }
  const tools = [{ type: 'function', function: { name: 'get_order', parameters: schema } }]
  const [choice] = complete('Where is order 1042?', { tools }).choices
  expect(choice).toMatchObject({
    message: { content: null, tool_calls: [{ function: { name: 'get_order', arguments: '{"number":"1042"}' } }] },
    finish_reason: 'tool_calls',
  })
  expect(text('Hello', { tools })).toContain('demonstration model')
  const messages = [
    { role: 'user', content: 'Where is order 1042?' },
    { role: 'assistant', content: null, tool_calls: [] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"state":"on its way"}' },
  ]
  const request = { model: 'demo-small', messages, parameters: { tools } }
  const answer = stubCompletion(request, { newId: () => 'chatcmpl_1', created: 7 })
  expect(answer.choices[0]?.message.content).toBe('The tool says: “{"state":"on its way"}”')
})
