import type { AuditRecord } from '../../api/schema.d.ts'

type Attempts = Pick<AuditRecord, 'attempts'>

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Prompt and completion tokens of all attempts. */
export const tokensOf = ({ attempts }: Attempts): number =>
  sum(attempts.map(({ prompt_tokens = 0, completion_tokens = 0 }) => prompt_tokens + completion_tokens))

/** Cost of all attempts in USD; null: no model has a price. */
export function costOf({ attempts }: Attempts): number | null {
  const costs = attempts.flatMap(({ cost }) => cost ?? [])
  return costs.length === 0 ? null : sum(costs)
}

/** Latency without the time at providers. */
export const gatewayMs = ({ duration_ms, attempts }: Pick<AuditRecord, 'attempts' | 'duration_ms'>): number =>
  Math.max(duration_ms - sum(attempts.map(({ ms }) => ms)), 0)

/** The model that was used; the requested one if no provider was tried. */
export function modelOf({ attempts, features }: Pick<AuditRecord, 'attempts' | 'features'>): string | undefined {
  const requested = features['request.model']
  return attempts.at(-1)?.model ?? (typeof requested === 'string' ? requested : undefined)
}

const KEYED_HASH = /^[0-9a-f]{64}$/

/** Whether the name is a keyed hash: records have no names that the configuration does not declare, because a client chose them. */
export const isHashed = (model: string): boolean => KEYED_HASH.test(model)
