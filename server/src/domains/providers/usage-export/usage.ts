/** Usage of a model on a day (UTC), as a provider's export or the audit log states it. undefined: not stated. */
export interface DailyUsage {
  /** `YYYY-MM-DD`, in UTC. */
  readonly date: string
  /** Name of the model; empty: all models together. */
  readonly model: string
  /** All input tokens, with those that were read from or written to a cache. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** USD. */
  readonly cost?: number
}

/** The file is not an export that can be read. The message says why. */
export class UsageExportError extends Error {}

/** Finite and not negative, from a number or its text; undefined for an absent or empty value. Throws a UsageExportError. */
export function readAmount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const amount = typeof value === 'number' ? value : typeof value === 'string' ? Number(value.trim()) : Number.NaN
  if (Number.isFinite(amount) && amount >= 0) return amount
  throw new UsageExportError(`${name} must be a number that is not negative`)
}

/** The day of a Unix time in seconds, or of a time or date in ISO 8601. Throws a UsageExportError. */
export function readDate(value: unknown, name: string): string {
  const ms = typeof value === 'number' ? value * 1_000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (!Number.isFinite(ms)) throw new UsageExportError(`${name} must be a date such as 2026-03-01`)
  return new Date(ms).toISOString().slice(0, 10)
}
