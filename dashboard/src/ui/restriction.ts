import i18next from 'i18next'
import { formatCount } from './format-numbers.ts'

/** Mantine's NumberInput has an empty string as its empty value. */
type NumberField = number | ''

/** Limits and models of a key, as the API has them. */
export interface Restriction {
  readonly limits: Readonly<Record<LimitName, number | null>>
  readonly models: readonly string[] | null
}
export const LIMIT_NAMES = ['requests_per_minute', 'burst', 'tokens_per_minute'] as const
type LimitName = (typeof LIMIT_NAMES)[number]

export interface RestrictionValues {
  limits: Record<LimitName, NumberField>
  models: string[]
}

export const restrictionValues = ({ limits, models }: Partial<Restriction> = {}): RestrictionValues => ({
  limits: {
    requests_per_minute: limits?.requests_per_minute ?? '',
    burst: limits?.burst ?? '',
    tokens_per_minute: limits?.tokens_per_minute ?? '',
  },
  models: [...(models ?? [])],
})

const numberOf = (field: NumberField): number | null => (field === '' ? null : field)

/** Request body. Empty fields reset. */
export const restrictionBody = ({ limits, models }: RestrictionValues) => ({
  limits: {
    requests_per_minute: numberOf(limits.requests_per_minute),
    burst: numberOf(limits.burst),
    tokens_per_minute: numberOf(limits.tokens_per_minute),
  },
  models: models.length === 0 ? null : models,
})

const SHOWN_MODELS = 2

/** In words: "60 requests/min, only gpt-4o". */
export function describeRestriction({ limits, models }: Restriction): string {
  const { requests_per_minute: requests, tokens_per_minute: tokens } = limits
  const shown = models && [...models.slice(0, SHOWN_MODELS), ...(models.length > SHOWN_MODELS ? ['…'] : [])].join(', ')
  const parts = [
    requests === null ? [] : i18next.t('ui:restriction.requests', { amount: formatCount(requests) }),
    tokens === null ? [] : i18next.t('ui:restriction.tokens', { amount: formatCount(tokens) }),
    shown === null ? [] : i18next.t('ui:restriction.only', { models: shown }),
  ].flat()
  return parts.length === 0 ? i18next.t('ui:restriction.none') : parts.join(', ')
}
