import { expect, test } from 'vitest'
import { findBannedWords, readBannedWords } from '../../../scripts/banned-words.ts'

const WORDS = readBannedWords([
  'text | nobody | a noun',
  'text | in force | active',
  'opening | What | a noun',
  'name | way | route',
  'part | door | http',
])
const found = (text: string, path = 'server/src/a.ts') => findBannedWords(path, text, WORDS).map(({ line, word }) => [line, word])

test('text words: found in comments, strings and parts of names', () => {
  expect(found("// Nobody waits.\nconst NOBODY = 'nobody'\nconst inForce = 1\n")).toEqual([
    [1, 'nobody'],
    [2, 'nobody'],
    [3, 'in force'],
  ])
})

test('names: found in code only, and only as whole identifiers', () => {
  expect(found("const way = 1 // a way\nconst wayside = 'the way'\nconst byWay = `way`\n")).toEqual([[1, 'way']])
})

test('parts of names: found in identifiers and paths, not in texts', () => {
  expect(found("const theDoor = 'the door'\n", 'server/src/door/pages.ts')).toEqual([
    [0, 'door'],
    [1, 'door'],
  ])
})

test('openings: found at the start of comments, texts, headings and cells, except in questions', () => {
  expect(found("/** What is kept. */\nconst a = 'What is kept'\n// What is kept?\n// And What\n")).toEqual([
    [1, 'What'],
    [2, 'What'],
  ])
  expect(found('## What is kept\n| What is kept | x |\nText. What is kept.\n', 'docs/a.md')).toEqual([
    [1, 'What'],
    [2, 'What'],
    [3, 'What'],
  ])
})

test('list of words: an unreadable line is an error', () => {
  expect(() => readBannedWords(['text nobody a noun'])).toThrow('kind | word | write instead')
})
