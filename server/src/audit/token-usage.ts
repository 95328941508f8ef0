import type { AuditDraft } from './record.ts'

type Attempts = Pick<AuditDraft, 'attempts'>

/** Prompt and completion tokens of all attempts. */
export const sumTokens = ({ attempts }: Attempts): number =>
  attempts.reduce((sum, { prompt_tokens: i = 0, completion_tokens: o = 0 }) => sum + i + o, 0)

/** Cost of all attempts in the currency of the models' prices; null: no model has a price. */
export const sumCost = ({ attempts }: Attempts): number | null =>
  attempts.reduce<number | null>((sum, { cost }) => (cost === undefined ? sum : (sum ?? 0) + cost), null)
