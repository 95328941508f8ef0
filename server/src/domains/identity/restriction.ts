import { type Static, Type } from 'typebox'
import { Name, resettable } from '../../platform/lib/fields.ts'
import { DEFAULT_LIMITS, type RateLimits } from '../../shared/principal.ts'
import { nullable } from '../../shared/schemas.ts'

const positive = (maximum: number) => resettable(Type.Integer({ minimum: 1, maximum }))

const RateLimitsPatch = Type.Object(
  { requests_per_minute: positive(1_000_000), burst: positive(100_000), tokens_per_minute: positive(1_000_000_000) },
  { title: 'RateLimitsPatch', additionalProperties: false },
)

/** Limits and models that apply in addition to those of the Application. `limits` are merged field by field. */
export const RESTRICTION_PATCH = {
  limits: Type.Optional(RateLimitsPatch),
  models: resettable(
    Type.Array(Name, {
      maxItems: 1_000,
      description: 'Patterns over `model` or `provider/model` with `*`. null: all models of the Application.',
    }),
  ),
}

export const RESTRICTION_VIEW = {
  limits: Type.Object(
    {
      requests_per_minute: nullable(Type.Integer()),
      burst: nullable(Type.Integer({ description: 'null: the requests per minute, at most 60.' })),
      tokens_per_minute: nullable(Type.Integer()),
    },
    { title: 'RateLimits', description: 'In addition to the limits of the Application. null: no limit.' },
  ),
  models: nullable(
    Type.Array(Type.String(), { description: 'Allowed models, among those of the Application. null: all of them.' }),
  ),
}

/** Only limits that were set, so that a later release can change a default. */
export type StoredLimits = Readonly<Partial<Record<keyof RateLimits, number>>>

export const patchLimits = (stored: StoredLimits, patch: Static<typeof RateLimitsPatch> = {}): StoredLimits =>
  Object.fromEntries(Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== null))

export const limitsView = ({ requests_per_minute, burst, tokens_per_minute }: StoredLimits) => ({
  requests_per_minute: requests_per_minute ?? null,
  burst: burst ?? null,
  tokens_per_minute: tokens_per_minute ?? null,
})

/** null: no limit applies. */
export function fillLimits(stored: StoredLimits): RateLimits | null {
  const { requests_per_minute, burst, tokens_per_minute } = limitsView(stored)
  if (requests_per_minute === null && tokens_per_minute === null) return null
  const longest = Math.min(requests_per_minute ?? DEFAULT_LIMITS.burst, DEFAULT_LIMITS.burst)
  return { requests_per_minute, burst: burst ?? longest, tokens_per_minute }
}
