import { expect, test } from 'vitest'
import { reasoningItems } from './reasoning-items.ts'
import { decodeRequest } from './request.ts'
import { readableReasoning } from './upstream-input.ts'

const THINKING = { type: 'reasoning.text', text: 'Look first.', signature: 'EqQB+/=', format: 'anthropic-claude-v1' }
const REDACTED = { type: 'reasoning.encrypted', data: 'RXFR', format: 'anthropic-claude-v1' }
const OWN = { type: 'reasoning.encrypted', data: 'Z0FB', id: 'rs_1', format: 'openai-responses-v1' }

const itemOf = (detail: object) =>
  reasoningItems({ role: 'assistant', content: null, reasoning_details: [detail] }, '1').items[0]?.item

/** The item as a client returns it that knows only the fields of the API. */
const returned = ({ id, type, summary, content, encrypted_content }: NonNullable<ReturnType<typeof itemOf>>) => ({
  ...{ id, type, summary, content: content ?? null, encrypted_content },
})

test.each([
  ['signed thinking', THINKING],
  ['redacted thinking', REDACTED],
])('reasoning: %s comes back whole when the client returns only the fields of the API [GW-RESP-8]', (_, detail) => {
  const item = itemOf(detail)
  if (!item) throw new Error('no item')
  const decoded = decodeRequest({ input: [{ role: 'user', content: 'a' }, returned(item)] })
  const [, message] = decoded.ok ? (decoded.chat.messages as readonly { reasoning_details: unknown }[]) : []
  expect(message?.reasoning_details).toEqual([{ ...detail, id: 'rs_1_0' }])
})

test('reasoning: a provider of this API does not get the state of another one [GW-RESP-8]', () => {
  const [foreign, own] = [itemOf(THINKING), itemOf(OWN)]
  if (!foreign || !own) throw new Error('no item')
  expect(readableReasoning(returned(foreign))).toEqual([])
  expect(readableReasoning(returned(own))).toMatchObject([{ encrypted_content: 'Z0FB' }])
})
