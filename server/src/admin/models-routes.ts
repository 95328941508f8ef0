import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Name, resettable, Timestamp } from '../applications/shapes.ts'
import type { Tx } from '../db/database.ts'
import type { Page, PageRequest } from '../db/page.ts'
import { deleteModel, findModelForChange, listModels, putModels } from '../providers/model-store.ts'
import { modelProblem, type Provider, type ProviderModel } from '../providers/provider.ts'
import { findProvider, PROVIDERS_TOPIC } from '../providers/provider-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { invalid, notFound, taken } from './refusals.ts'
import { List, nullable, pathOf } from './shapes.ts'

const MAX_AT_ONCE = 200
const ALL = { limit: 100_000 }

const price = (of: string) => resettable(Type.Number({ description: `Per million ${of} tokens; null: unknown.` }))
const ModelFields = Type.Object({
  upstream_name: resettable({ ...Name, description: 'The name the provider knows; null: the same.' }),
  input_price: price('prompt'),
  output_price: price('completion'),
})
const ModelBody = Type.Object({ id: Type.String({ maxLength: 200 }), ...ModelFields.properties })
const ModelsBody = Type.Object({ models: Type.Array(ModelBody, { minItems: 1, maxItems: MAX_AT_ONCE }) })

const ModelView = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  provider_id: Type.String(),
  upstream_name: nullable(Name),
  input_price: nullable(Type.Number()),
  output_price: nullable(Type.Number()),
  created_at: Timestamp,
})

const UNKNOWN = { 404: 'NOT_FOUND: the provider, the model, or the Workspace' }

const docs = {
  listAll: inWorkspace('listAllModels', 'Models of all providers, by provider and id', {
    scope: 'providers:read',
    query: PAGE,
    answers: { 200: List(ModelView) },
  }),
  list: inWorkspace('listProviderModels', 'Models of one provider, by id', {
    scope: 'providers:read',
    query: PAGE,
    params: pathOf('id'),
    answers: { 200: List(ModelView) },
    errors: UNKNOWN,
  }),
  putMany: inWorkspace('putModels', 'Add models to a provider, or change those that are there', {
    scope: 'providers:write',
    description: `At most ${MAX_AT_ONCE} at once, all or none of them. Models that are not named stay.`,
    query: {},
    params: pathOf('id'),
    body: ModelsBody,
    answers: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelView) }) },
    errors: UNKNOWN,
  }),
  put: inWorkspace('putModel', 'Add a model, or change it; what is left out is unknown', {
    scope: 'providers:write',
    description: 'With the header `If-None-Match: *` a model that is there already stays as it is, and the answer is 409.',
    query: {},
    params: pathOf('id', 'model'),
    body: ModelFields,
    answers: { 200: ModelView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: the model is there already, and `If-None-Match: *` was sent' },
  }),
  patch: inWorkspace('patchModel', 'Change a model; what is left out stays', {
    scope: 'providers:write',
    query: {},
    params: pathOf('id', 'model'),
    body: ModelFields,
    answers: { 200: ModelView },
    errors: UNKNOWN,
  }),
  remove: inWorkspace('deleteModel', 'Remove a model', {
    scope: 'providers:write',
    query: {},
    params: pathOf('id', 'model'),
    answers: { 204: null },
    errors: UNKNOWN,
  }),
}

export function modelsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, providers } = deps

  app.get('/models', { schema: docs.listAll }, async ({ workspaceId, query }) =>
    listOf(pageAmong(await providers.get(workspaceId), pageOf(query)), modelView, keyOf),
  )

  app.get('/providers/:id/models', { schema: docs.list }, async ({ workspaceId, params, query }) => {
    if (!(await findProvider(db, workspaceId, params.id))) throw notFound('provider')
    const { data, hasMore } = await listModels(db, workspaceId, params.id, pageOf(query))
    return listOf({ data: data.map((model) => ({ provider: params.id, model })), hasMore }, modelView, ({ model }) => model.id)
  })

  app.post('/providers/:id/models', { schema: docs.putMany }, async (request) => {
    const { params, body } = request
    const models = body.models.map(({ id, ...fields }, index) => newModel(id, fields, `models[${index}].`))
    const twice = models.findIndex(({ id }, index) => models.findIndex((model) => model.id === id) < index)
    if (twice >= 0) throw invalid({ param: `models[${twice}].id`, message: 'stands here twice' })
    const what = { id: params.id, fields: models.map(({ id }) => `models.${id}`) }
    return { object: 'list', data: await put(deps, request, params.id, models, what) }
  })

  app.put('/providers/:id/models/:model', { schema: docs.put }, async (request) => {
    const { workspaceId, params, body, headers } = request
    const what = { id: `${params.id}/${params.model}`, fields: changedFields(ModelFields, body) }
    const onlyNew = headers['if-none-match'] === '*'
    const [model] = await put(deps, request, params.id, [newModel(params.model, body, '')], what, async (tx) => {
      const known = onlyNew && (await findModelForChange(tx, workspaceId, params.id, params.model))
      if (known) throw taken('model', 'a model of that name')
    })
    return model
  })

  app.patch('/providers/:id/models/:model', { schema: docs.patch }, async (request) => {
    const { workspaceId, params, body } = request
    return change(deps, request, async (tx, now) => {
      const stored = await findModelForChange(tx, workspaceId, params.id, params.model)
      if (!stored) throw notFound('model')
      const model = newModel(params.model, { ...fieldsOf(stored), ...body }, '')
      await putModels(tx, workspaceId, params.id, [model], now)
      const value = modelView({ provider: params.id, model: { ...stored, ...model } })
      const what = { id: `${params.id}/${params.model}`, fields: changedFields(ModelFields, body) }
      return { value, action: 'model.put', ...what, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
  })

  app.delete('/providers/:id/models/:model', { schema: docs.remove }, async (request, reply) => {
    const { workspaceId, params } = request
    await change(deps, request, async (tx) => {
      if (!(await deleteModel(tx, workspaceId, params.id, params.model))) throw notFound('model')
      const id = `${params.id}/${params.model}`
      return { value: undefined, action: 'model.delete', id, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return reply.status(204).send()
  })
}

/** Puts the models and answers them as they are stored. */
const put = (
  deps: AdminDeps,
  request: FastifyRequest,
  provider: string,
  models: readonly NewModel[],
  what: { readonly id: string; readonly fields: readonly string[] },
  check: (tx: Tx) => Promise<void> = async () => {},
) =>
  change(deps, request, async (tx, now) => {
    const { workspaceId } = request
    await check(tx)
    if (!(await putModels(tx, workspaceId, provider, models, now))) throw notFound('provider')
    const ids = new Set(models.map(({ id }) => id))
    const stored = (await listModels(tx, workspaceId, provider, ALL)).data.filter(({ id }) => ids.has(id))
    const value = stored.map((model) => modelView({ provider, model }))
    return { value, action: 'model.put', ...what, announce: [PROVIDERS_TOPIC, workspaceId] }
  })

type NewModel = Omit<ProviderModel, 'createdAt'>

/** Throws a 400 when it is not sound; `at` is where the body has it. */
function newModel(id: string, fields: Static<typeof ModelFields>, at: string): NewModel {
  const { upstream_name: upstreamName = null, input_price: inputPrice = null, output_price: outputPrice = null } = fields
  const model = { id, upstreamName, inputPrice, outputPrice }
  const problem = modelProblem(model)
  if (problem) throw invalid({ ...problem, param: at + problem.param })
  return model
}

const fieldsOf = ({ upstreamName, inputPrice, outputPrice }: ProviderModel): Static<typeof ModelFields> => ({
  upstream_name: upstreamName,
  input_price: inputPrice,
  output_price: outputPrice,
})

interface Offer {
  readonly provider: string
  readonly model: ProviderModel
}

/** Sorts as the pair does: a provider's id holds nothing that comes before a line feed. */
const keyOf = ({ provider, model }: Offer): string => `${provider}\n${model.id}`

/** Providers are remembered whole for calls: the page is cut from there. */
function pageAmong(providers: readonly Provider[], { limit, after = '' }: PageRequest): Page<Offer> {
  const rest = providers
    .flatMap(({ id, models }) => models.map((model) => ({ provider: id, model })))
    .filter((offer) => keyOf(offer) > after)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return { data: rest.slice(0, limit), hasMore: rest.length > limit }
}

const modelView = ({ provider, model }: Offer) => ({
  id: model.id,
  object: 'model' as const,
  provider_id: provider,
  upstream_name: model.upstreamName,
  input_price: model.inputPrice,
  output_price: model.outputPrice,
  created_at: model.createdAt.toISOString(),
})
