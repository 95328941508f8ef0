import type { AuditRecord } from '../../api/audit-record.ts'
import { formatCount } from '../../ui/format-numbers.ts'

type Attempts = AuditRecord['attempts']
type TokenField = keyof Attempts[number] & `${string}_tokens`

const PARTS = {
  prompt_tokens: [
    ['cache_read_tokens', 'read from cache'],
    ['cache_write_tokens', 'written to cache'],
  ],
  completion_tokens: [['reasoning_tokens', 'for reasoning']],
} as const satisfies Partial<Record<TokenField, readonly (readonly [TokenField, string])[]>>

/** Tokens of all attempts with their parts: "1,200 input tokens (900 read from cache)". Empty if no provider counted tokens. */
export function tokenUnitsIn(attempts: Attempts): readonly string[] {
  return (['prompt_tokens', 'completion_tokens'] as const).flatMap((field) => {
    const whole = sumOf(attempts, field)
    if (whole === 0) return []
    const parts = PARTS[field]
      .map(([part, purpose]) => [sumOf(attempts, part), purpose] as const)
      .filter(([count]) => count > 0)
      .map(([count, purpose]) => `${formatCount(count)} ${purpose}`)
    const tokens = `${formatCount(whole)} ${field === 'prompt_tokens' ? 'input' : 'output'} tokens`
    return [parts.length === 0 ? tokens : `${tokens} (${parts.join(', ')})`]
  })
}

const sumOf = (attempts: Attempts, field: TokenField): number => attempts.reduce((sum, attempt) => sum + (attempt[field] ?? 0), 0)
