import { changedProvider, type NewProvider, providerProblem } from '../providers/provider.ts'
import type { ProviderRecord } from '../providers/provider-row.ts'
import {
  createProvider,
  deleteProvider,
  findProvider,
  listProviders,
  lockProvider,
  PROVIDERS_TOPIC,
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
  list: inWorkspace('listProviders', 'Providers, by id', {
    scope: 'providers:read',
    query: PAGE,
    answers: { 200: List(ProviderView) },
  }),
  create: inWorkspace('createProvider', 'Add a provider', {
    scope: 'providers:write',
    query: {},
    body: ProviderCreate,
    answers: { 201: ProviderView },
    errors: { 409: 'CONFLICT: the id is taken' },
  }),
  get: inWorkspace('getProvider', 'One provider', { scope: 'providers:read', ...one, answers: { 200: ProviderView } }),
  update: inWorkspace('updateProvider', 'Change a provider', {
    scope: 'providers:write',
    description: 'What is left out stays. A `base_url` of another origin drops the stored key: give it anew.',
    ...one,
    body: ProviderPatch,
    answers: { 200: ProviderView },
  }),
  remove: inWorkspace('deleteProvider', 'Remove a provider and its models', {
    scope: 'providers:write',
    ...one,
    answers: { 204: null },
  }),
}

export function providersRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, providerBox: box } = deps

  app.get('/providers', { schema: docs.list }, async ({ workspaceId, query }) =>
    listOf(await listProviders(db, workspaceId, pageOf(query)), await viewer(workspaceId, deps), ({ id }) => id),
  )

  app.post('/providers', { schema: docs.create }, async (request, reply) => {
    const { workspaceId, body } = request
    const provider = newProvider(body)
    check(provider, deps)
    const created = await change(deps, request, async (tx, now) => {
      if (!(await createProvider(tx, workspaceId, provider, { box, now }))) throw taken('id', 'a provider of that id')
      const value = await findProvider(tx, workspaceId, body.id)
      const fields = changedFields(ProviderCreate, body)
      return { value, action: 'provider.create', id: body.id, fields, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return reply.status(201).send(await view(workspaceId, created, deps))
  })

  app.get('/providers/:id', { schema: docs.get }, async ({ workspaceId, params }) =>
    view(workspaceId, await findProvider(db, workspaceId, params.id), deps),
  )

  app.patch('/providers/:id', { schema: docs.update }, async (request) => {
    const { workspaceId, body } = request
    const { id } = request.params
    const wanted = providerChange(body)
    const updated = await change(deps, request, async (tx, now) => {
      const before = await lockProvider(tx, workspaceId, id)
      if (!before) throw notFound('provider')
      check(changedProvider(before, wanted, 'api'), deps)
      await updateProvider(tx, workspaceId, id, wanted, { box, now, by: 'api' })
      const value = await findProvider(tx, workspaceId, id)
      const fields = changedFields(ProviderPatch, body)
      return { value, action: 'provider.update', id, fields, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return view(workspaceId, updated, deps)
  })

  app.delete('/providers/:id', { schema: docs.remove }, async (request, reply) => {
    const { workspaceId, params } = request
    await change(deps, request, async (tx) => {
      if (!(await deleteProvider(tx, workspaceId, params.id))) throw notFound('provider')
      return { value: undefined, action: 'provider.delete', id: params.id, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return reply.status(204).send()
  })
}

/** Throws a 400 when it must not be stored so. */
function check(provider: NewProvider, { config }: AdminDeps): void {
  const problem = providerProblem(provider, config.allowPrivateUrls)
  if (problem) throw invalid(problem)
}

async function view(workspaceId: string, record: ProviderRecord | undefined, deps: AdminDeps) {
  if (!record) throw notFound('provider')
  return (await viewer(workspaceId, deps))(record)
}

/** How providers are shown: as they are declared, and as they stand on this node. */
async function viewer(workspaceId: string, { providers, health }: AdminDeps) {
  const live = new Map((await providers.get(workspaceId)).map((provider) => [provider.id, provider]))
  return (record: ProviderRecord) => providerView(record, live.get(record.id), health)
}
