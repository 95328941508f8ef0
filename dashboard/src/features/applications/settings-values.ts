import i18next from 'i18next'
import type { InitOf } from '../../api/operations.ts'
import type { Application } from './applications-page.tsx'

type Patch = NonNullable<InitOf<'patch', '/admin/v1/applications/{id}'>['body']>
type Settings = Application['settings']
type Limits = Application['limits']

/** Mantine's NumberInput has an empty string as its empty value. */
type NumberField = number | ''

/** Form values. An empty list allows everything. */
export interface Values {
  name: string
  models: string[]
  providers: string[]
  default_model: string
  ceiling: Application['ceiling']
  limits: { [K in keyof Limits]: NumberField }
  settings: {
    extensions: string[]
    unknown_fields: Settings['unknown_fields']
    release: Settings['release']
    release_window: NumberField
    default_classification: Settings['default_classification']
    assertion_clearance: Settings['assertion_clearance']
    cors: { origins: string[] }
    knowledge: { enabled: boolean; passages: NumberField; collections: string[] }
    memory: { enabled: boolean; capture: Settings['memory']['capture']; recall: NumberField }
    responses: { store: Settings['responses']['store']; retention_days: NumberField; max_megabytes: NumberField }
  }
}

/** Up to this value the server holds back what the rules need. */
const SHORTEST_WINDOW = 576

export function valuesOf({ name, models, providers, default_model, ceiling, limits, settings }: Application): Values {
  const { extensions, unknown_fields, release, release_window, default_classification } = settings
  const { assertion_clearance, cors, knowledge, memory, responses } = settings
  return {
    name,
    models: models ?? [],
    providers: providers ?? [],
    default_model: default_model ?? '',
    ceiling,
    limits: {
      requests_per_minute: limits.requests_per_minute,
      burst: limits.burst,
      concurrency: limits.concurrency,
      tokens_per_minute: limits.tokens_per_minute ?? '',
      user_requests_per_minute: limits.user_requests_per_minute ?? '',
    },
    settings: {
      extensions,
      unknown_fields,
      release,
      release_window: release_window > SHORTEST_WINDOW ? release_window : '',
      default_classification,
      assertion_clearance,
      cors: { origins: cors?.origins ?? [] },
      knowledge: { enabled: knowledge.enabled, passages: knowledge.passages, collections: knowledge.collections ?? [] },
      memory: { enabled: memory.enabled, capture: memory.capture, recall: memory.recall },
      responses: {
        store: responses.store,
        retention_days: responses.retention_days,
        max_megabytes: responses.max_megabytes,
      },
    },
  }
}

/** Request body. Empty fields get their defaults. */
export function patchOf({ name, models, providers, default_model, ceiling, limits, settings }: Values): Patch {
  const { knowledge, memory, responses, extensions, cors, release_window, ...levels } = settings
  return {
    name: name.trim(),
    models: orNull(models),
    providers: orNull(providers),
    default_model: default_model.trim() || null,
    ceiling,
    limits: Object.fromEntries(Object.entries(limits).map(([limit, value]) => [limit, numberOf(value)])),
    settings: {
      ...levels,
      extensions,
      release_window: numberOf(release_window),
      cors: cors.origins.length === 0 ? null : cors,
      knowledge: { ...knowledge, passages: numberOf(knowledge.passages), collections: orNull(knowledge.collections) },
      memory: { ...memory, recall: numberOf(memory.recall) },
      responses: {
        ...responses,
        retention_days: numberOf(responses.retention_days),
        max_megabytes: numberOf(responses.max_megabytes),
      },
    },
  } as Patch
}

const orNull = (list: string[]): string[] | null => (list.length === 0 ? null : list)
const numberOf = (field: NumberField): number | null => (field === '' ? null : field)

const ORIGIN = /^(?:\*|https?:\/\/[a-z0-9._-]+(?::\d{1,5})?|https?:\/\/\[[0-9a-f:]+\](?::\d{1,5})?)$/

/** Validation in the form, because it can name the invalid entry. The API validates the rest. */
export const VALIDATORS = {
  settings: {
    cors: {
      origins: (origins: readonly string[]): string | null => {
        const invalid = origins.find((origin) => !ORIGIN.test(origin))
        return invalid === undefined ? null : i18next.t('applications:settings.access.invalidOrigin', { origin: invalid })
      },
    },
  },
}
