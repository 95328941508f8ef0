import { expect, test } from 'vitest'
import { EvaluationLimiter } from './evaluation-limiter.ts'

test('EvaluationLimiter: evaluation ends with an error after its time budget, and the next can start', async () => {
  const limiter = new EvaluationLimiter({ budgetMs: 40 })
  const runEndless = () =>
    limiter.run(async (pause) => {
      for (;;) await pause()
    })
  const timeoutError = { code: 'VALIDATION_ERROR', message: expect.stringContaining('Use fewer cases or records') }
  for (let i = 0; i < 3; i++) await expect(runEndless()).rejects.toMatchObject(timeoutError)
})

test('EvaluationLimiter: other work runs during an evaluation', async () => {
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
  }, 1)
  await new EvaluationLimiter().run(async (pause) => {
    for (const start = performance.now(); performance.now() - start < 1_000; ) await pause()
  })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})
