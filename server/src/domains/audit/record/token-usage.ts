import { sumOf } from '../../../shared/usage.ts'
import type { AuditDraft } from './record.ts'

type Attempts = Pick<AuditDraft, 'attempts'>

export const sumTokens = ({ attempts }: Attempts): number =>
  sumOf(attempts, 'prompt_tokens') + sumOf(attempts, 'completion_tokens')

/** Part of `sumTokens`; null: none. */
export const sumCacheRead = ({ attempts }: Attempts): number | null => sumOf(attempts, 'cache_read_tokens') || null

/** null: no model has a price. */
export const sumCost = ({ attempts }: Attempts): number | null =>
  attempts.reduce<number | null>((sum, { cost }) => (cost === undefined ? sum : (sum ?? 0) + cost), null)
