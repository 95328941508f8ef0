import { describe, expect, test } from 'vitest'
import { useAuditLog } from '../../../test/support/audit-log.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { usageByDay } from './provider-usage.ts'

const ATTEMPT = { provider: 'openai', model: 'gpt-5', status: 200, outcome: 'ok', ms: 1 }

describe.each(testDatabases())('usageByDay on $name', ({ open }) => {
  const log = useAuditLog(open)

  test('usageByDay: adds tokens and costs of all attempts by day and model, without stubbed ones', async () => {
    const { db, workspaceId } = log()
    const at = (created_at: string, ...attempts: object[]) => log().append(1, { created_at, attempts: attempts as [] })
    await at('2026-03-01T00:00:00.000Z', { ...ATTEMPT, prompt_tokens: 10, completion_tokens: 2, cost: 0.5 })
    await at(
      '2026-03-01T23:59:59.999Z',
      { ...ATTEMPT, prompt_tokens: 5, cost: 0.25 },
      { ...ATTEMPT, outcome: 'timeout', status: 0 },
    )
    await at(
      '2026-03-01T12:00:00.000Z',
      { ...ATTEMPT, provider: 'other', prompt_tokens: 100 },
      { ...ATTEMPT, outcome: 'stubbed', prompt_tokens: 7 },
    )
    await at('2026-03-02T00:00:00.000Z', { ...ATTEMPT, model: 'b', prompt_tokens: 1, completion_tokens: 1 })
    await at('2026-03-03T00:00:00.000Z', { ...ATTEMPT, prompt_tokens: 1 })
    const range = { from: '2026-03-01', to: '2026-03-02' }
    const usages = await usageByDay(db, workspaceId, range)
    expect(usages.toSorted((a, b) => a.date.localeCompare(b.date))).toEqual([
      { date: '2026-03-01', model: 'gpt-5', inputTokens: 115, outputTokens: 2, cost: 0.75 },
      { date: '2026-03-02', model: 'b', inputTokens: 1, outputTokens: 1 },
    ])
    expect(await usageByDay(db, workspaceId, { ...range, providerId: 'other' })).toEqual([
      { date: '2026-03-01', model: 'gpt-5', inputTokens: 100, outputTokens: 0 },
    ])
  })
})
