import { Type } from 'typebox'
import { PROVIDERS_TOPIC } from '../context.ts'
import { GatehouseError } from '../errors.ts'
import { discoverModels } from '../providers/discover.ts'
import { changedProvider, type NewProvider, type Provider, providerProblem } from '../providers/provider.ts'
import type { ProviderRecord } from '../providers/provider-row.ts'
import {
  createProvider,
  deleteProvider,
  findProvider,
  listProviders,
  lockProvider,
  updateProvider,
} from '../providers/provider-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { newProvider, ProviderCreate, ProviderPatch, ProviderView, providerChange, providerView } from './provider-shapes.ts'
import { invalid, notFound, taken } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the provider, or the Workspace' }
const one = { query: {}, params: pathOf('id'), errors: UNKNOWN }

const docs = {
  list: inWorkspace('listProviders', 'Providers, by id', { query: PAGE, answers: { 200: List(ProviderView) } }),
  create: inWorkspace('createProvider', 'Add a provider', {
    query: {},
    body: ProviderCreate,
    answers: { 201: ProviderView },
    errors: { 409: 'CONFLICT: the id is taken' },
  }),
  get: inWorkspace('getProvider', 'One provider', { ...one, answers: { 200: ProviderView } }),
  update: inWorkspace('updateProvider', 'Change a provider', {
    description: 'What is left out stays. A `base_url` of another origin drops the stored key: give it anew.',
    ...one,
    body: ProviderPatch,
    answers: { 200: ProviderView },
  }),
  remove: inWorkspace('deleteProvider', 'Remove a provider and its models', { ...one, answers: { 204: null } }),
  discover: inWorkspace('discoverModels', 'Ask a provider which models it has; nothing is stored', {
    ...one,
    answers: {
      200: Type.Object({
        object: Type.Literal('list'),
        data: Type.Array(
          Type.Object({ id: Type.String(), known: Type.Boolean({ description: 'Whether Applications can be offered it.' }) }),
        ),
      }),
    },
    errors: {
      ...UNKNOWN,
      409: 'CONFLICT: a stub, or a provider that cannot be called',
      502: 'PROVIDER_ERROR',
      504: 'PROVIDER_TIMEOUT',
    },
  }),
}

export function providersRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, providers, health, providerBox: box } = deps
  const check = (provider: NewProvider): void => {
    const problem = providerProblem(provider, deps.config.allowPrivateUrls)
    if (problem) throw invalid(problem)
  }
  const liveOnes = async (workspaceId: string): Promise<(record: ProviderRecord) => ReturnType<typeof providerView>> => {
    const live = new Map((await providers.get(workspaceId)).map((provider) => [provider.id, provider]))
    return (record) => providerView(record, live.get(record.id), health)
  }
  const view = async (workspaceId: string, record: ProviderRecord | undefined) => {
    if (!record) throw notFound('provider')
    return (await liveOnes(workspaceId))(record)
  }

  app.get('/providers', { schema: docs.list }, async ({ workspaceId, query }) =>
    listOf(await listProviders(db, workspaceId, pageOf(query)), await liveOnes(workspaceId), ({ id }) => id),
  )

  app.post('/providers', { schema: docs.create }, async (request, reply) => {
    const { workspaceId, body } = request
    const provider = newProvider(body)
    check(provider)
    const created = await change(deps, request, async (tx, now) => {
      if (!(await createProvider(tx, workspaceId, provider, { box, now }))) throw taken('id', 'a provider of that id')
      const value = await findProvider(tx, workspaceId, body.id)
      const fields = changedFields(ProviderCreate, body)
      return { value, action: 'provider.create', id: body.id, fields, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return reply.status(201).send(await view(workspaceId, created))
  })

  app.get('/providers/:id', { schema: docs.get }, async ({ workspaceId, params }) =>
    view(workspaceId, await findProvider(db, workspaceId, params.id)),
  )

  app.patch('/providers/:id', { schema: docs.update }, async (request) => {
    const { workspaceId, body } = request
    const { id } = request.params
    const wanted = providerChange(body)
    const updated = await change(deps, request, async (tx, now) => {
      const before = await lockProvider(tx, workspaceId, id)
      if (!before) throw notFound('provider')
      check(changedProvider(before, wanted, 'api'))
      await updateProvider(tx, workspaceId, id, wanted, { box, now, by: 'api' })
      const value = await findProvider(tx, workspaceId, id)
      const fields = changedFields(ProviderPatch, body)
      return { value, action: 'provider.update', id, fields, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return view(workspaceId, updated)
  })

  app.delete('/providers/:id', { schema: docs.remove }, async (request, reply) => {
    const { workspaceId, params } = request
    await change(deps, request, async (tx) => {
      if (!(await deleteProvider(tx, workspaceId, params.id))) throw notFound('provider')
      return { value: undefined, action: 'provider.delete', id: params.id, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return reply.status(204).send()
  })

  app.post('/providers/:id/discover', { schema: docs.discover }, async ({ workspaceId, params }) => {
    const provider = (await providers.get(workspaceId)).find(({ id }) => id === params.id)
    if (!provider) throw notFound('provider')
    const known = new Set(provider.models.map(({ id, upstreamName }) => upstreamName ?? id))
    const models = await discovered(provider, deps)
    return { object: 'list', data: models.map((id) => ({ id, known: known.has(id) })) }
  })
}

/** Throws what went wrong in words of our own: the provider's text is never echoed. */
async function discovered(provider: Provider, { providerCalls, clock }: AdminDeps): Promise<readonly string[]> {
  if (provider.kind === 'stub')
    throw new GatehouseError('CONFLICT', { message: 'A stub answers by itself: it has no list of models.' })
  if (provider.problem) {
    throw new GatehouseError('CONFLICT', {
      message: 'The provider cannot be called as it is configured.',
      details: { problem: provider.problem },
    })
  }
  const found = await discoverModels(provider, providerCalls.pools, { clock })
  if (found.ok) return found.models
  const { failure, status } = found
  throw new GatehouseError(failure === 'timeout' ? 'PROVIDER_TIMEOUT' : 'PROVIDER_ERROR', {
    message: 'The provider did not tell its models.',
    details: { failure, ...(status > 0 && { status }) },
  })
}
