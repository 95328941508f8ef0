import { Type } from 'typebox'
import { PRESET_IDS, presetOf } from '../../../domains/providers/presets.ts'
import {
  applyProviderChange,
  findProviderProblem,
  type NewProvider,
  opensPrivateAddresses,
  type ProviderChange,
} from '../../../domains/providers/provider.ts'
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
import { oneOf } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { covers, FULL_ACCESS } from '../../../shared/access.ts'
import { CLASSIFICATIONS } from '../../../shared/classification.ts'
import type { Operator } from '../../../shared/operator.ts'
import { forbidden, invalid, requireFound } from '../../../shared/request-errors.ts'
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
      write: async (tx, { workspaceId, body, operator }, now) => {
        const provider = newProvider(body)
        requireOwner(operator, provider, providerChange(body))
        check(provider, deps)
        const isCreated = await createProvider(tx, workspaceId, provider, { box, now })
        return isCreated ? findProvider(tx, workspaceId, body.id) : undefined
      },
    },
    update: {
      description: 'Missing fields stay unchanged. A `base_url` with another origin removes the stored key: send the key again.',
      body: ProviderPatch,
      write: async (tx, { workspaceId, params: { id }, body, operator }, now) => {
        const requested = providerChange(body)
        const before = requireFound(await lockProvider(tx, workspaceId, id), 'provider')
        const after = applyProviderChange(before, requested, 'api')
        requireOwner(operator, after, requested)
        check(after, deps)
        await updateProvider(tx, workspaceId, id, requested, { box, now, by: 'api' })
        return findProvider(tx, workspaceId, id)
      },
    },
    remove: { summary: 'Delete a provider and its models', remove: deleteProvider },
  })
}

/** Private addresses belong to the server's network, so an owner of one Workspace, or a token with few scopes, must not reach them. */
function requireOwner({ access }: Operator, provider: NewProvider, requested: ProviderChange): void {
  if (!opensPrivateAddresses(provider, requested) || covers(access, FULL_ACCESS)) return
  throw forbidden(
    'Only an owner of all Workspaces can allow private addresses for a provider, or change where it sends requests.',
    {
      param: 'allow_private_addresses',
    },
  )
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
  max_classification: {
    ...oneOf(CLASSIFICATIONS, 'Classification'),
    description: 'A good start for a new provider: `internal` for services outside of your company.',
  },
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
  const { needsKey: needs_key = true } = preset
  // Servers that run without keys are those of the own network.
  return viewOf(PresetView, preset, { id, needs_key, max_classification: needs_key ? 'internal' : 'restricted' })
}
