import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { PRESET_IDS, presetOf } from '../../../domains/providers/presets.ts'
import { applyProviderChange, findProviderProblem, type NewProvider, type Provider } from '../../../domains/providers/provider.ts'
import {
  createProvider,
  deleteProvider,
  findProvider,
  listProviders,
  lockProvider,
  PROVIDERS_TOPIC,
  type ProviderRecord,
  updateProvider,
} from '../../../domains/providers/provider-store.ts'
import { causeOf, DISCOVERY_CAUSES, testConnection } from '../../../domains/providers/test-connection.ts'
import { GatehouseError } from '../../../errors.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { conflict, invalid, requireFound } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'
import { newProvider, ProviderCreate, ProviderPatch, ProviderView, providerChange, providerView } from './provider-shapes.ts'

export function providersRoutes(app: TypedApp, deps: AdminDeps): void {
  const { providerBox: box } = deps

  resource(app, deps, {
    noun: 'provider',
    path: '/providers',
    area: 'providers',
    view: ProviderView,
    show: (rows: readonly ProviderRecord[], { workspaceId }) => viewsOf(workspaceId, rows, deps),
    taken: { id: 'Provider id' },
    announce: (_, workspaceId) => [PROVIDERS_TOPIC, workspaceId],
    list: { summary: 'List providers, by id', read: listProviders },
    get: { find: findProvider },
    create: {
      summary: 'Add a provider',
      body: ProviderCreate,
      write: async (tx, { workspaceId, body }, now) => {
        const provider = newProvider(body)
        check(provider, deps)
        const isCreated = await createProvider(tx, workspaceId, provider, { box, now })
        return isCreated ? findProvider(tx, workspaceId, body.id) : undefined
      },
    },
    update: {
      description: 'Missing fields stay unchanged. A `base_url` with another origin removes the stored key: send the key again.',
      body: ProviderPatch,
      write: async (tx, { workspaceId, params: { id }, body }, now) => {
        const requested = providerChange(body)
        const before = requireFound(await lockProvider(tx, workspaceId, id), 'provider')
        check(applyProviderChange(before, requested, 'api'), deps)
        await updateProvider(tx, workspaceId, id, requested, { box, now, by: 'api' })
        return findProvider(tx, workspaceId, id)
      },
    },
    remove: { summary: 'Delete a provider and its models', remove: deleteProvider },
  })
}

function check(provider: NewProvider, { config }: AdminDeps): void {
  const problem = findProviderProblem(provider, config.allowPrivateUrls)
  if (problem) throw invalid(problem)
}

async function viewsOf(workspaceId: string, rows: readonly ProviderRecord[], { providers, health }: AdminDeps) {
  const live = new Map((await providers.get(workspaceId)).map((provider) => [provider.id, provider]))
  return rows.map((row) => providerView(row, live.get(row.id), health))
}

const PresetView = Type.Object({
  id: Type.String(),
  object: Type.Literal('provider_preset'),
  title: Type.String(),
  hint: Type.String({ description: 'Where an operator gets a key, or what to enter.' }),
  base_url: Type.String({ description: 'The base URL of a provider that is created with this preset and without another one.' }),
  needs_key: Type.Boolean({ description: 'false: the server usually runs without API keys.' }),
})

const presetsDocs = inWorkspace(
  'GET /provider-presets',
  'listProviderPresets',
  'List the known servers with the OpenAI chat API, by id',
  { scope: 'providers:read', answers: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(PresetView) }) } },
)

export function presetsRoutes(app: TypedApp): void {
  handle(app, presetsDocs, async () => ({ object: 'list' as const, data: PRESET_IDS.map(presetView) }))
}

function presetView(id: (typeof PRESET_IDS)[number]) {
  const preset = presetOf(id)
  return viewOf(PresetView, preset, { id, needs_key: preset.needsKey ?? true })
}

const discoveryDocs = inWorkspace(
  'POST /providers/:id/discover',
  'discoverModels',
  'Test the connection to a provider and list the models that it offers. Nothing is stored',
  {
    scope: 'providers:write',
    answers: {
      200: Type.Object({
        object: Type.Literal('list'),
        has_list: Type.Boolean({
          description: 'Whether the provider has a list of models. Without one, a chat request without messages was sent.',
        }),
        data: Type.Array(
          Type.Object({
            id: Type.String(),
            known: Type.Boolean({ description: 'Whether the provider has this model already.' }),
          }),
        ),
      }),
    },
    errors: {
      404: 'NOT_FOUND: the provider, or the Workspace',
      409: 'CONFLICT: a stub, an incomplete configuration, or a provider with neither a list nor a model',
      502: `PROVIDER_ERROR, with the cause in \`details.cause\`: ${Object.keys(DISCOVERY_CAUSES).join(', ')}`,
      504: 'PROVIDER_TIMEOUT',
    },
  },
)

export function discoveryRoutes(app: TypedApp, deps: AdminDeps): void {
  handle(app, discoveryDocs, async ({ workspaceId, params, log }) => {
    const providers = await deps.providers.get(workspaceId)
    const provider = requireFound(
      providers.find(({ id }) => id === params.id),
      'provider',
    )
    const known = new Set(provider.models.map(({ id, upstreamName }) => upstreamName ?? id))
    const models = await loadModels(provider, deps, log)
    const data = (models ?? []).map((id) => ({ id, known: known.has(id) }))
    return { object: 'list', has_list: models !== undefined, data }
  })
}

/** Returns undefined if the provider has no list of models. Throws an error with the cause, which never has the provider's own text. */
async function loadModels(provider: Provider, { invokeDeps: { pools }, clock }: AdminDeps, log: FastifyBaseLogger) {
  if (provider.kind === 'stub') throw conflict('A stub has no connection to test. Enter its models by hand.')
  if (provider.problem) {
    const message = 'The configuration of the provider is incomplete. Resolve the problem in the details first.'
    throw conflict(message, { details: { problem: provider.problem } })
  }
  if (pools.endpoint(provider).models === undefined && provider.models.length === 0)
    throw conflict('The provider has no list of models. Add a model by name, then test again.')
  const startedAt = elapsed()
  const result = await testConnection(provider, pools, { clock })
  if (result.ok) return result.models
  const { failure, status, code } = result
  const cause = causeOf(result)
  const ms = Math.round(elapsed() - startedAt)
  const details = { cause, failure, ms, ...(status > 0 && { status }) }
  log.warn({ provider: provider.id, ...details, ...(code && { code }) }, 'the connection test of a provider failed')
  throw new GatehouseError(failure === 'timeout' ? 'PROVIDER_TIMEOUT' : 'PROVIDER_ERROR', {
    message: `The provider failed the connection test after ${ms} ms. ${DISCOVERY_CAUSES[cause]}`,
    details,
  })
}
