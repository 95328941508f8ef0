import { type Static, Type } from 'typebox'
import type { Health } from '../../../domains/providers/health.ts'
import { PROVIDER_KINDS, PROVIDER_SOURCES } from '../../../domains/providers/kinds.ts'
import { PRESET_IDS } from '../../../domains/providers/presets.ts'
import { type NewProvider, type Provider, type ProviderChange, providerDefaults } from '../../../domains/providers/provider.ts'
import type { ProviderRecord } from '../../../domains/providers/provider-store.ts'
import { camelCase } from '../../../platform/lib/camel-case.ts'
import { Name, oneOf, resettable, resettableWord, Timestamp } from '../../../platform/lib/fields.ts'
import { present } from '../../../platform/lib/present.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import { nullable } from '../../../shared/schemas.ts'

const text = { maxLength: 8_000 }

/** Ranges are checked by findProviderProblem (provider.ts). */
const settings = {
  preset: resettableWord(PRESET_IDS),
  base_url: Type.Optional(
    Type.String({
      ...text,
      description:
        'For example `https://api.openai.com/v1`. `{region}` is replaced by the region. Default: that of the preset or kind, for example `https://api.anthropic.com`. Not for a stub.',
    }),
  ),
  allow_private_addresses: Type.Optional(
    Type.Boolean({
      description:
        'Whether `base_url` may be a private address although the server does not allow them. Only an owner of all Workspaces can turn it on, and while it is on only an owner of all Workspaces can change `base_url`, `region`, `path`, `headers` and `api_key`. Link-local and metadata addresses are always refused.',
    }),
  ),
  api_key: resettable(
    Type.String({
      ...text,
      description:
        'Encrypted at rest and never returned. null removes it. For `bedrock`: a Bedrock API key, or `access key id:secret access key[:session token]`. For `vertex`: the JSON text of the key file of a service account.',
    }),
  ),
  api_key_env: resettable(Type.String({ maxLength: 200, description: 'Can only be set in the configuration file.' })),
  path: Type.Optional(
    Type.String({
      maxLength: 501,
      description:
        'Path of chat requests, relative to `base_url`. `{deployment}` is replaced by the model, `{region}` by the region, `{project}` by the project of the service account. Default: that of the kind, for example `/chat/completions`.',
    }),
  ),
  headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: '`{api_key}` is replaced by the key.' })),
  timeout_ms: Type.Optional(Type.Integer({ description: 'Timeout of one attempt.' })),
  idle_timeout_ms: resettable(
    Type.Integer({ description: "Timeout between two bytes, and until the response headers. null: the server's setting." }),
  ),
  stream: Type.Optional(
    Type.Boolean({ description: 'Whether chat responses are requested as streams. false for a server that refuses them.' }),
  ),
  max_retries: Type.Optional(Type.Integer()),
  max_concurrency: Type.Optional(Type.Integer()),
  weight: Type.Optional(Type.Number()),
  region: resettable({
    ...Name,
    description: 'For directives of policies. For `bedrock` and `vertex` the region of the cloud, such as `eu-central-1`.',
  }),
  max_classification: Type.Optional(oneOf(CLASSIFICATIONS, 'Classification')),
  enabled: Type.Optional(Type.Boolean()),
}

export const ProviderPatch = Type.Object(settings)
export const ProviderCreate = Type.Object({
  id: Type.String({ maxLength: 63, description: 'A slug. Models show it as `owned_by`.' }),
  kind: Type.Optional(oneOf(PROVIDER_KINDS, 'ProviderKind')),
  ...settings,
})

export const providerChange = (patch: Static<typeof ProviderPatch>): ProviderChange =>
  present(Object.fromEntries(Object.keys(settings).map((name) => [camelCase(name), Reflect.get(patch, name)])))

export const newProvider = ({ id, kind = 'openai', ...rest }: Static<typeof ProviderCreate>): NewProvider => ({
  ...providerDefaults(kind, rest.preset),
  ...providerChange(rest),
  id,
  source: 'api',
})

export const ProviderView = Type.Object({
  id: Type.String(),
  object: Type.Literal('provider'),
  kind: oneOf(PROVIDER_KINDS, 'ProviderKind'),
  preset: nullable(oneOf(PRESET_IDS, 'ProviderPresetId')),
  source: oneOf(PROVIDER_SOURCES),
  base_url: nullable(Type.String()),
  allow_private_addresses: Type.Boolean(),
  api_key_from: nullable(oneOf(['stored', 'environment'])),
  api_key_env: nullable(Type.String()),
  path: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  timeout_ms: Type.Integer(),
  idle_timeout_ms: nullable(Type.Integer()),
  stream: Type.Boolean(),
  max_retries: Type.Integer(),
  max_concurrency: Type.Integer(),
  weight: Type.Number(),
  region: nullable(Type.String()),
  max_classification: oneOf(CLASSIFICATIONS, 'Classification'),
  enabled: Type.Boolean(),
  health: Type.Object(
    {
      circuit: oneOf(['closed', 'open', 'half_open']),
      active: Type.Integer({ description: 'Requests in flight.' }),
      used: Type.Boolean({ description: 'Whether the node has sent it a request since the node started.' }),
      problem: nullable(oneOf(['url_not_allowed', 'key_missing', 'key_unreadable', 'key_invalid'])),
      last_error: nullable(
        Type.Object({
          kind: Type.String({
            description:
              'Outcome of the last failed attempt, as in audit records: `key_rejected`, `quota_exhausted`, `timeout` …',
          }),
          at: Timestamp,
          fault: Type.Boolean({ description: 'The failure lasts until an operator resolves it: key, account or models.' }),
        }),
      ),
    },
    { title: 'ProviderHealth', description: 'State on the node that responds.' },
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})

/** `live`: the provider as requests use it; undefined right after a change. */
export const providerView = (record: ProviderRecord, live: Provider | undefined, health: Health) =>
  viewOf(ProviderView, record, { health: healthView(live, health) })

export function healthView(live: Provider | undefined, health: Health) {
  const { circuit, active, lastError, used } = live ? health.status(live) : UNKNOWN_STATUS
  const last_error = lastError ? { ...lastError, at: lastError.at.toISOString() } : null
  // The built-in provider sends no requests and cannot fail.
  return { circuit, active, used: used || live?.kind === 'stub', problem: live?.problem ?? null, last_error }
}

const UNKNOWN_STATUS = { circuit: 'closed', active: 0, lastError: undefined, used: false } as const
