import { expect, test } from 'vitest'
import { type ChatMessage, collect, joinsOfTurns } from './message.ts'

/** The joined texts of each run. */
const runsOf = (messages: readonly ChatMessage[]): readonly string[] => {
  const { texts, spoken } = collect(messages)
  return joinsOfTurns(messages, spoken).map((run) => run.map((index) => texts[index]).join('|'))
}
const says = (role: string, content: string | null, more: object = {}): ChatMessage => ({ role, content, ...more })

test.each<[string, readonly ChatMessage[], readonly string[]]>([
  ['consecutive users', [says('user', 'a'), says('user', 'b')], ['a|b']],
  ['consecutive assistants', [says('user', 'x'), says('assistant', 'a'), says('assistant', 'b')], ['a|b']],
  ['an empty assistant between users', [says('user', 'a'), says('assistant', ''), says('user', 'b')], ['a|b']],
  ['a tool result between users', [says('user', 'a'), says('tool', 'r', { tool_call_id: 'c' }), says('user', 'b')], ['a|b']],
  ['an assistant between users', [says('user', 'a'), says('assistant', 'x'), says('user', 'b')], []],
  [
    'an assistant that calls a tool between users',
    [
      says('user', 'a'),
      says('assistant', null, { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] }),
      says('user', 'b'),
    ],
    [],
  ],
])('turns: %s', (_, messages, expected) => {
  expect(runsOf(messages)).toEqual(expected)
})
