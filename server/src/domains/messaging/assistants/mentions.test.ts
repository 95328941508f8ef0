import { expect, test } from 'vitest'
import { findFirstMentioned } from './enqueue-turn.ts'

const [assistant, helper, longer] = ['assistant', 'Helper', 'helper two'].map((username) => ({ username }))
const all = [assistant, helper, longer] as { username: string }[]

test.each([
  ['@assistant what now?', assistant],
  ['Ask (@Assistant), please.', assistant],
  ['@HELPER', helper],
  ['@helper two, and not the other', longer],
  ['first @helper, then @assistant', helper],
  ['@assistants and then @assistant.', assistant],
])('findFirstMentioned: finds the first and longest name in: %s', (text, mentioned) => {
  expect(findFirstMentioned(text, all)).toBe(mentioned)
})

test.each(['assistant', 'ann@assistant', '@assistant_2', '@@assistant', '@assistanté', '@', '@ assistant', '𝒂@assistant'])(
  'findFirstMentioned: finds no assistant in: %s',
  (text) => {
    expect(findFirstMentioned(text, all)).toBeUndefined()
  },
)
