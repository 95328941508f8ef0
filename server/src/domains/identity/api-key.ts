import { type Static, Type } from 'typebox'
import { type Entity, fromRow, type RowOf } from '../../platform/db/from-row.ts'
import { Line, Name, resettable, Timestamp } from '../../platform/lib/fields.ts'
import { viewOf } from '../../platform/lib/view.ts'
import type { Restriction } from '../../shared/principal.ts'
import { nullable } from '../../shared/schemas.ts'
import { fillLimits, limitsView, RESTRICTION_PATCH, RESTRICTION_VIEW } from './restriction.ts'

export const KEY_COLUMNS = [
  'id',
  'application_id',
  'name',
  'hint',
  'issued_by',
  'created_at',
  'revoked_at',
  'last_used_at',
  'expires_at',
  'replaced_by',
  'counted_as',
  'limits',
  'models',
  'tags',
  'metadata',
  'team_id',
] as const
type KeyColumn = (typeof KEY_COLUMNS)[number]

export type ApiKey = Entity<'api_key', KeyColumn>

export const keyOf = (row: Pick<RowOf<'api_key'>, KeyColumn>): ApiKey =>
  fromRow(row, { id: 'key', application_id: 'app', replaced_by: 'key', counted_as: 'key', team_id: 'tea' })

const Metadata = Type.Record(Name, Line, {
  maxProperties: 20,
  additionalProperties: false,
})

const fields = {
  ...RESTRICTION_PATCH,
  team_id: resettable({ ...Name, description: 'The team that the requests of the key count for. null: none.' }),
  tags: resettable(Type.Array(Name, { maxItems: 20, uniqueItems: true, description: 'Words to find the key by.' })),
  metadata: resettable({ ...Metadata, description: 'Texts by name, for example an owner. Up to 20.' }),
}

export const ApiKeyPatch = Type.Object({ name: Type.Optional(Name), ...fields })
export type ApiKeyPatch = Static<typeof ApiKeyPatch>

export const ApiKeyCreate = Type.Object({
  name: Name,
  ...fields,
  expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'When the key expires. Default: never.' })),
})

export const DEFAULT_OVERLAP_S = 86_400

export const ApiKeyRotate = Type.Object({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400,
      description: `How long the replaced key remains valid. 0: it expires at once. Default: ${DEFAULT_OVERLAP_S}, a day.`,
    }),
  ),
  expires_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When the new key expires. Default: it is valid for as long as the replaced key was from its creation.',
    }),
  ),
})

export const ApiKeyView = Type.Object({
  id: Type.String(),
  object: Type.Literal('api_key'),
  application_id: Type.String(),
  name: Type.String(),
  hint: Type.String(),
  issued_by: Type.Union([Type.String(), Type.Null()], {
    description: 'The operator who issued the key and cannot decide on its requests. null: issued on the server.',
  }),
  created_at: Timestamp,
  revoked_at: Type.Union([Timestamp, Type.Null()]),
  last_used_at: Type.Union([Timestamp, Type.Null()], { description: 'Accurate to about a minute. null: never.' }),
  expires_at: Type.Union([Timestamp, Type.Null()], { description: 'The key is refused from this time on. null: never.' }),
  replaced_by: Type.Union([Type.String(), Type.Null()], { description: 'The key that has replaced this one by rotation.' }),
  ...RESTRICTION_VIEW,
  team_id: nullable(Type.String()),
  tags: Type.Array(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
})

/** Response to issuing a key; no other response contains the key. `key` comes first, because `hint` looks similar. */
export const IssuedApiKeyView = Type.Object({ key: Type.String(), ...ApiKeyView.properties }, { title: 'IssuedApiKey' })

export const apiKeyView = (key: ApiKey) => viewOf(ApiKeyView, key, { limits: limitsView(key.limits) })

/** The key under which limits and budgets count: a rotation must not give a second limit. */
export const countedIdOf = ({ id, countedAs }: Pick<ApiKey, 'id' | 'countedAs'>): string => countedAs ?? id

/** Undefined: the key has no limits and models of its own. */
export function restrictionOf({ id, limits: stored, models }: Pick<ApiKey, 'id' | 'limits' | 'models'>): Restriction | undefined {
  const limits = fillLimits(stored)
  return limits === null && models === null ? undefined : { of: 'key', id, owner: 'this API key', limits, models, members: null }
}
