import { expect, test } from 'vitest'
import { EvaluationLimiter } from './evaluation-limiter.ts'

test('a trial that has taken its time is given up, and makes room for the next', async () => {
  const limiter = new EvaluationLimiter({ budgetMs: 40 })
  const runEndless = () =>
    limiter.run(async (pause) => {
      for (;;) await pause()
    })
  const givenUp = { code: 'VALIDATION_ERROR', message: expect.stringContaining('try fewer cases or records') }
  for (let i = 0; i < 3; i++) await expect(runEndless()).rejects.toMatchObject(givenUp)
})

test('others have their turn during a trial, whether its cases are short or long', async () => {
  let turns = 0
  const others = setInterval(() => {
    turns += 1
  }, 1)
  await new EvaluationLimiter().run(async (pause) => {
    for (const began = performance.now(); performance.now() - began < 200; ) await pause()
  })
  clearInterval(others)
  expect(turns).toBeGreaterThan(2)
})
