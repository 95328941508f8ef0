import type { AuditDraft } from './record.ts'

type Attempts = Pick<AuditDraft, 'attempts'>

/** What all attempts took, in and out. */
export const tokensOf = ({ attempts }: Attempts): number =>
  attempts.reduce((sum, { prompt_tokens: i = 0, completion_tokens: o = 0 }) => sum + i + o, 0)

/** In the currency of the models' prices; null where none has one. */
export const costOf = ({ attempts }: Attempts): number | null =>
  attempts.reduce<number | null>((sum, { cost }) => (cost === undefined ? sum : (sum ?? 0) + cost), null)
