import { expect, test } from 'vitest'
import { arrangeQueue, type QueueEntry } from '../src/features/reviews/arrange-queue.ts'
import { findFacts } from '../src/features/reviews/find-facts.ts'

const entry = (id: string, rule: string, user: string, minute: number, risk_level = 'low'): QueueEntry => ({
  item: {
    ...{ id, user_id: user, application_id: 'app_1', risk_level, rules: [{ id: rule }] },
    created_at: `2026-03-02T09:0${minute}:00Z`,
  },
  title: `Rule ${rule}`,
  user,
  application: 'support',
  excerpt: `Text of ${id}`,
})

const QUEUE = [
  entry('rev_1', 'payments', 'alice', 1),
  entry('rev_2', 'offers', 'bob', 3, 'critical'),
  entry('rev_3', 'payments', 'bob', 2, 'medium'),
]

const idsOf = (arrangement: Parameters<typeof arrangeQueue>[1]) =>
  arrangeQueue(QUEUE, arrangement).map(({ title, entries }) => [title, entries.map(({ item }) => item.id)])

test('queue: keeps the order of the API without sorting, grouping and search', () => {
  expect(idsOf({})).toEqual([['', ['rev_1', 'rev_2', 'rev_3']]])
})

test('queue: sorts by time and by risk', () => {
  expect(idsOf({ sort: 'newest' })).toEqual([['', ['rev_2', 'rev_3', 'rev_1']]])
  expect(idsOf({ sort: 'oldest' })).toEqual([['', ['rev_1', 'rev_3', 'rev_2']]])
  expect(idsOf({ sort: 'risk' })).toEqual([['', ['rev_2', 'rev_3', 'rev_1']]])
})

test('queue: groups are in the order of their first items', () => {
  expect(idsOf({ group: 'rule' })).toEqual([
    ['Rule payments', ['rev_1', 'rev_3']],
    ['Rule offers', ['rev_2']],
  ])
  expect(idsOf({ group: 'user', sort: 'newest' })).toEqual([
    ['bob', ['rev_2', 'rev_3']],
    ['alice', ['rev_1']],
  ])
})

test('queue: an item is found when its texts have all searched words', () => {
  expect(idsOf({ q: 'BOB payments' })).toEqual([['', ['rev_3']]])
  expect(idsOf({ q: 'rev_2' })).toEqual([['', ['rev_2']]])
  expect(idsOf({ q: 'text of' })).toEqual([['', ['rev_1', 'rev_2', 'rev_3']]])
  expect(idsOf({ q: 'carol' })).toEqual([])
})

const factsIn = (text: string) => findFacts(text).map(({ type, start, end }) => [type, text.slice(start, end)])

test.each([
  ['Please wire 48,000 EUR to Brightwater Supplies today', ['48,000 EUR'], ['Brightwater Supplies']],
  ['Pay €1 250.50 to Bank of Ireland, now', ['€1 250.50'], ['Bank of Ireland']],
  ['An offer to Northgate for 300 licences', [], ['Northgate']],
  ['Send USD 3 million and $20', ['USD 3 million', '$20'], []],
  ['tell jane.roe@brightwater.example.com.', [], ['jane.roe@brightwater.example.com']],
  ['Use DE89 3704 0044 0532 0130 00 instead', [], ['DE89 3704 0044 0532 0130 00']],
  ['what is the weather in 2026?', [], []],
])('facts: finds amounts and recipients in %j', (text, amounts, recipients) => {
  const facts = factsIn(text)
  expect(facts.filter(([type]) => type === 'amount').map(([, fact]) => fact)).toEqual(amounts)
  expect(facts.filter(([type]) => type === 'recipient').map(([, fact]) => fact)).toEqual(recipients)
})

test('facts: do not overlap, so that each part of a text has one mark', () => {
  const facts = findFacts('48,000 EUR to EUR 5 to Anna for anna@example.com')
  expect(facts.every(({ start }, index) => index === 0 || start >= (facts[index - 1]?.end ?? 0))).toBe(true)
})
