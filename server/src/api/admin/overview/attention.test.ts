import { expect, test } from 'vitest'
import { budgetAttention } from './attention.ts'

const budget = (name: string, more: object = {}) => ({
  ...{ id: `bud_${name}`, name, isEach: false, nearLimit: 1, usedUp: 0, share: 0.8 },
  ...more,
})

test('attention: links to the one budget that is used up, and to the page of budgets when there are several', () => {
  expect(budgetAttention.usedUp([budget('Team', { usedUp: 1 }), budget('Near')])).toEqual({
    kind: 'budget_used_up',
    text: 'The budget Team is used up: its requests are refused.',
    link: '/budgets/bud_Team',
  })
  const two = [budget('Team', { usedUp: 1 }), budget('Users', { isEach: true, nearLimit: 5, usedUp: 2 })]
  expect(budgetAttention.usedUp(two)).toMatchObject({
    text: '2 budgets are used up, and their requests are refused: Team, Users (2 members).',
    link: '/budgets',
  })
})

test('attention: names three budgets near their limits and counts the others', () => {
  const budgets = ['a', 'b', 'c', 'd', 'e'].map((name) => budget(name, { share: 0.859 }))
  expect(budgetAttention.nearLimit(budgets)?.text).toBe(
    '5 budgets are near their limits: a at 85 %, b at 85 %, c at 85 % and 2 more.',
  )
  expect(budgetAttention.nearLimit(budgets.slice(4))?.text).toBe('A budget is near its limit: e at 85 %.')
  expect(budgetAttention.nearLimit([budget('a', { usedUp: 1 })])).toBeUndefined()
})
