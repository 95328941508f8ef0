import type { Health } from '../../../domains/providers/health.ts'
import { applyProviderChange, findProviderProblem, type NewProvider, type Provider } from '../../../domains/providers/provider.ts'
import type { ProviderRecord } from '../../../domains/providers/provider-row.ts'
import {
  createProvider,
  deleteProvider,
  findProvider,
  listProviders,
  lockProvider,
  PROVIDERS_TOPIC,
  updateProvider,
} from '../../../domains/providers/provider-store.ts'
import type { Cache } from '../../../platform/lib/cache.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { invalid, notFound, taken } from '../../../shared/refusals.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { changedFields } from '../kit/changed-fields.ts'
import { inWorkspace } from '../kit/operation.ts'
import { newProvider, ProviderCreate, ProviderPatch, ProviderView, providerChange, providerView } from './provider-shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the provider, or the Workspace' }

const docs = {
  list: inWorkspace('GET /providers', 'listProviders', 'List providers, by id', {
    scope: 'providers:read',
    query: PAGE,
    answers: { 200: List(ProviderView) },
  }),
  create: inWorkspace('POST /providers', 'createProvider', 'Add a provider', {
    scope: 'providers:write',
    body: ProviderCreate,
    answers: { 201: ProviderView },
    errors: { 409: 'CONFLICT: the id is taken' },
  }),
  get: inWorkspace('GET /providers/:id', 'getProvider', 'Get a provider', {
    scope: 'providers:read',
    errors: UNKNOWN,
    answers: { 200: ProviderView },
  }),
  update: inWorkspace('PATCH /providers/:id', 'updateProvider', 'Change a provider', {
    scope: 'providers:write',
    description: 'Missing fields stay unchanged. A `base_url` with another origin removes the stored key: send the key again.',
    errors: UNKNOWN,
    body: ProviderPatch,
    answers: { 200: ProviderView },
  }),
  remove: inWorkspace('DELETE /providers/:id', 'deleteProvider', 'Delete a provider and its models', {
    scope: 'providers:write',
    errors: UNKNOWN,
    answers: { 204: null },
  }),
}

interface Deps extends ChangeDeps {
  readonly providers: Cache<readonly Provider[]>
  readonly health: Health
  readonly providerBox: SecretBox
  readonly config: { readonly allowPrivateUrls: boolean }
}

export function providersRoutes(app: TypedApp, deps: Deps): void {
  const { db, providerBox: box } = deps

  handle(app, docs.list, async ({ workspaceId, query }) =>
    listOf(await listProviders(db, workspaceId, pageOf(query)), await createView(workspaceId, deps), ({ id }) => id),
  )

  handle(app, docs.create, async (request, reply) => {
    const { workspaceId, body } = request
    const provider = newProvider(body)
    check(provider, deps)
    const created = await change(deps, request, async (tx, now) => {
      if (!(await createProvider(tx, workspaceId, provider, { box, now }))) throw taken('id', 'Provider id')
      const value = await findProvider(tx, workspaceId, body.id)
      const fields = changedFields(ProviderCreate, body)
      return { value, action: 'provider.create', id: body.id, fields, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return reply.status(201).send(await view(workspaceId, created, deps))
  })

  handle(app, docs.get, async ({ workspaceId, params }) =>
    view(workspaceId, await findProvider(db, workspaceId, params.id), deps),
  )

  handle(app, docs.update, async (request) => {
    const { workspaceId, body } = request
    const { id } = request.params
    const requested = providerChange(body)
    const updated = await change(deps, request, async (tx, now) => {
      const before = await lockProvider(tx, workspaceId, id)
      if (!before) throw notFound('provider')
      check(applyProviderChange(before, requested, 'api'), deps)
      await updateProvider(tx, workspaceId, id, requested, { box, now, by: 'api' })
      const value = await findProvider(tx, workspaceId, id)
      const fields = changedFields(ProviderPatch, body)
      return { value, action: 'provider.update', id, fields, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return view(workspaceId, updated, deps)
  })

  handle(app, docs.remove, async (request, reply) => {
    const { workspaceId, params } = request
    await change(deps, request, async (tx) => {
      if (!(await deleteProvider(tx, workspaceId, params.id))) throw notFound('provider')
      return { value: undefined, action: 'provider.delete', id: params.id, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return reply.status(204).send()
  })
}

/** Throws a 400 for an invalid provider. */
function check(provider: NewProvider, { config }: Deps): void {
  const problem = findProviderProblem(provider, config.allowPrivateUrls)
  if (problem) throw invalid(problem)
}

async function view(workspaceId: string, record: ProviderRecord | undefined, deps: Deps) {
  if (!record) throw notFound('provider')
  return (await createView(workspaceId, deps))(record)
}

/** Returns a function that shows a provider: its configuration, and its state on this node. */
async function createView(workspaceId: string, { providers, health }: Deps) {
  const live = new Map((await providers.get(workspaceId)).map((provider) => [provider.id, provider]))
  return (record: ProviderRecord) => providerView(record, live.get(record.id), health)
}
