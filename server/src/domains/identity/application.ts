import { type Static, Type } from 'typebox'
import { Name, oneOf, resettable, resettableWord, Timestamp, withStorable } from '../../platform/lib/fields.ts'
import { type Checked, checker } from '../../platform/lib/schema.ts'
import { viewOf } from '../../platform/lib/view.ts'
import { CLASSIFICATIONS, type Classification } from '../../shared/classification.ts'
import { MEMORY_SCOPES, SHARED_SCOPES } from '../../shared/memory-words.ts'
import {
  type Application,
  type ApplicationLimits,
  type ApplicationSettings,
  DEFAULT_LIMITS,
  DEFAULT_SETTINGS,
  EXTENSIONS,
  MAX_RELEASE_WINDOW,
  type MemorySettings,
  MIN_RELEASE_WINDOW,
  RELEASE_MODES,
  RESPONSE_STORING,
  type ResponseSettings,
  UNKNOWN_FIELDS,
} from '../../shared/principal.ts'
import { nullable } from '../../shared/schemas.ts'

export const DEFAULT_CEILING: Classification = 'restricted'
/** As JSON, in characters: they are part of every cached Application. */
const MAX_SETTINGS = 16_384

const CAPTURE = ['off', 'explicit', 'extract'] as const
const Collections = Type.Array(Name, { maxItems: 100 })
const Patterns = Type.Array(Name, { maxItems: 1_000 })

/** The `Origin` header of a browser: scheme, host and port in lower case. `*` allows every origin. */
const Origin = Type.String({
  maxLength: 255,
  pattern: '^(?:\\*|https?://[a-z0-9._-]+(?::\\d{1,5})?|https?://\\[[0-9a-f:]+\\](?::\\d{1,5})?)$',
})

type Nullable<T> = { [K in keyof T]?: T[K] | null }

/** The settings of a feature. `true` and `false` mean `{enabled}`, null resets the feature to its default. */
const feature = <T>(properties: Record<string, object>) =>
  Type.Optional(Type.Unsafe<T | boolean | null>({ type: ['object', 'boolean', 'null'], properties, additionalProperties: false }))

const KnownSettings = Type.Object(
  {
    extensions: resettable(Type.Array(oneOf(EXTENSIONS), { uniqueItems: true })),
    knowledge: feature<{ enabled?: boolean | null; collections?: string[] | null; passages?: number | null }>({
      enabled: resettable(Type.Boolean()),
      collections: resettable(Collections),
      passages: resettable(Type.Integer({ minimum: 0, maximum: 50 })),
    }),
    memory: feature<Nullable<MemorySettings>>({
      enabled: resettable(Type.Boolean()),
      capture: resettableWord(CAPTURE),
      recall: resettable(Type.Integer({ minimum: 0, maximum: 50 })),
      scopes: resettable(Type.Array(oneOf(MEMORY_SCOPES, 'MemoryScope'), { uniqueItems: true })),
      assertion_scopes: resettable(
        Type.Array(oneOf(SHARED_SCOPES, 'SharedMemoryScope'), {
          uniqueItems: true,
          description: 'Shared scopes that requests without a verified user may write. Default: none.',
        }),
      ),
    }),
    responses: Type.Optional(
      Type.Unsafe<Nullable<ResponseSettings> | null>({
        type: ['object', 'null'],
        properties: {
          store: resettableWord(RESPONSE_STORING),
          retention_days: resettable(Type.Integer({ minimum: 1, maximum: 3_650 })),
          max_megabytes: resettable(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
        },
        additionalProperties: false,
        description:
          'Stored responses of the responses API. `store`: `off`, `requested` (those with `store: true`; the default) or `default` (all without `store: false`). `max_megabytes`: size of all stored responses of the Application (1000). null resets them to the defaults.',
      }),
    ),
    assertion_clearance: resettableWord(CLASSIFICATIONS),
    role_clearance: resettable(Type.Record(Name, oneOf(CLASSIFICATIONS, 'Classification'), { maxProperties: 100 })),
    default_classification: resettableWord(CLASSIFICATIONS),
    unknown_fields: resettableWord(UNKNOWN_FIELDS),
    release: resettableWord(RELEASE_MODES),
    release_window: resettable(Type.Integer({ minimum: MIN_RELEASE_WINDOW, maximum: MAX_RELEASE_WINDOW })),
    cors: resettable(
      Type.Object(
        { origins: Type.Array(Origin, { maxItems: 50 }) },
        { additionalProperties: false, description: "Origins of web pages that may use this Application's keys (CORS)." },
      ),
    ),
  },
  {
    title: 'ApplicationSettingsPatch',
    additionalProperties: true,
    description: 'Other names are allowed. Policies read them as `application.settings`.',
  },
)
const SettingsPatch = Type.Unsafe<Static<typeof KnownSettings> & Readonly<Record<string, unknown>>>(KnownSettings)

const positive = (maximum: number) => resettable(Type.Integer({ minimum: 1, maximum }))

const LimitsPatch = Type.Object(
  {
    requests_per_minute: positive(1_000_000),
    burst: positive(100_000),
    concurrency: positive(10_000),
    tokens_per_minute: positive(1_000_000_000),
    user_requests_per_minute: positive(1_000_000),
  },
  { title: 'ApplicationLimitsPatch', additionalProperties: false },
)

const optional = {
  settings: Type.Optional(SettingsPatch),
  limits: Type.Optional(LimitsPatch),
  models: resettable(Patterns),
  providers: resettable(Patterns),
  default_model: resettable(Name),
  ceiling: resettableWord(CLASSIFICATIONS),
}

export const ApplicationCreate = Type.Object({ name: Name, ...optional })
export type ApplicationCreate = Static<typeof ApplicationCreate>

/** `limits`, `settings`, `settings.knowledge`, `settings.memory` and `settings.responses` are merged field by field. */
export const ApplicationPatch = Type.Object({ name: Type.Optional(Name), ...optional })
export type ApplicationPatch = Static<typeof ApplicationPatch>

const createChecker = checker(ApplicationCreate)
const patchChecker = checker(ApplicationPatch)
export const checkApplicationCreate = (body: unknown): Checked<ApplicationCreate> => checkSettingsSize(createChecker(body))
export const checkApplicationPatch = (body: unknown): Checked<ApplicationPatch> => checkSettingsSize(patchChecker(body))

const checkSettingsSize = <T extends ApplicationPatch>(checked: Checked<T>): Checked<T> =>
  withStorable(checked, 'settings', ({ settings }) => settings, MAX_SETTINGS)

/** The stored settings and limits: only those that were set, so that a later release can change a default. */
export interface Overrides {
  readonly settings: Readonly<Record<string, unknown>>
  readonly limits: Readonly<Record<string, unknown>>
}

export function patchOverrides(stored: Overrides, patch: Pick<ApplicationPatch, 'settings' | 'limits'>): Overrides {
  const settings: Record<string, unknown> = { ...patch.settings }
  for (const name of FEATURES) {
    const feature = patch.settings?.[name]
    if (feature !== undefined) settings[name] = patchFeature(stored.settings[name], feature)
  }
  return { settings: mergeFields(stored.settings, settings), limits: mergeFields(stored.limits, patch.limits ?? {}) }
}

const FEATURES = ['knowledge', 'memory', 'responses'] as const

function patchFeature(stored: unknown, patch: object | boolean | null): object | null {
  if (patch === null) return null
  return mergeFields((stored ?? {}) as Record<string, unknown>, typeof patch === 'boolean' ? { enabled: patch } : patch)
}

const mergeFields = (stored: Readonly<Record<string, unknown>>, patch: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...stored, ...patch }).filter(([, value]) => value !== null))

export const fillApplicationSettings = ({
  knowledge,
  memory,
  responses,
  ...stored
}: Readonly<Record<string, unknown>>): ApplicationSettings => ({
  ...DEFAULT_SETTINGS,
  ...stored,
  knowledge: { ...DEFAULT_SETTINGS.knowledge, ...(knowledge as object) },
  memory: { ...DEFAULT_SETTINGS.memory, ...(memory as object) },
  responses: { ...DEFAULT_SETTINGS.responses, ...(responses as object) },
})

export const fillApplicationLimits = (stored: Readonly<Record<string, unknown>>): ApplicationLimits => ({
  ...DEFAULT_LIMITS,
  ...stored,
})

export interface ApplicationRecord extends Application {
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly archivedAt: Date | null
}

export const ApplicationView = Type.Object({
  id: Type.String(),
  object: Type.Literal('application'),
  workspace_id: Type.String(),
  name: Type.String(),
  settings: Type.Object(
    {
      extensions: Type.Array(Type.String()),
      knowledge: Type.Object({
        enabled: Type.Boolean(),
        collections: Type.Optional(Type.Array(Type.String())),
        passages: Type.Integer(),
      }),
      memory: Type.Object({
        enabled: Type.Boolean(),
        capture: oneOf(CAPTURE, 'MemoryCapture'),
        recall: Type.Integer(),
        scopes: Type.Optional(Type.Array(oneOf(MEMORY_SCOPES, 'MemoryScope'))),
        assertion_scopes: Type.Array(oneOf(SHARED_SCOPES, 'SharedMemoryScope')),
      }),
      responses: Type.Object({
        store: oneOf(RESPONSE_STORING, 'ResponseStoring'),
        retention_days: Type.Integer(),
        max_megabytes: Type.Integer(),
      }),
      assertion_clearance: oneOf(CLASSIFICATIONS, 'Classification'),
      role_clearance: Type.Record(Type.String(), oneOf(CLASSIFICATIONS, 'Classification')),
      default_classification: oneOf(CLASSIFICATIONS, 'Classification'),
      unknown_fields: oneOf(UNKNOWN_FIELDS, 'UnknownFields'),
      release: oneOf(RELEASE_MODES, 'ReleaseMode'),
      release_window: Type.Integer(),
      cors: Type.Optional(Type.Object({ origins: Type.Array(Type.String()) })),
    },
    { title: 'ApplicationSettings', additionalProperties: true },
  ),
  limits: Type.Object(
    {
      requests_per_minute: Type.Integer(),
      burst: Type.Integer(),
      concurrency: Type.Integer(),
      tokens_per_minute: Type.Union([Type.Integer(), Type.Null()]),
      user_requests_per_minute: Type.Union([Type.Integer(), Type.Null()]),
    },
    { title: 'ApplicationLimits' },
  ),
  models: Type.Union([Type.Array(Type.String()), Type.Null()]),
  providers: Type.Union([Type.Array(Type.String()), Type.Null()]),
  default_model: Type.Union([Type.String(), Type.Null()]),
  ceiling: oneOf(CLASSIFICATIONS, 'Classification'),
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: nullable({ ...Timestamp, description: 'Since then all requests are refused. null: in use.' }),
})

export const applicationView = (application: ApplicationRecord) => viewOf(ApplicationView, application)
