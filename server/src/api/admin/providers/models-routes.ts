import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { MODEL_APIS, type ProviderKind } from '../../../domains/providers/kinds.ts'
import { isPriced, type PricedProvider, priceOf } from '../../../domains/providers/price.ts'
import { PRICE_FIELDS, priceFieldsOf, pricesOf } from '../../../domains/providers/prices.ts'
import { findModelProblem, type Provider, type ProviderModel } from '../../../domains/providers/provider.ts'
import {
  deleteModel,
  findModelForChange,
  findProvider,
  listModels,
  PROVIDERS_TOPIC,
  putModels,
} from '../../../domains/providers/provider-store.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import type { Page, PageRequest } from '../../../platform/db/page.ts'
import { Name, oneOf, resettable, Timestamp } from '../../../platform/lib/fields.ts'
import { invalid, notFound, requireFound, taken } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { type ChangeDeps, change, changedFields } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

const MAX_AT_ONCE = 200
const ALL = { limit: 100_000 }

const price = (of: string, without = 'unknown', which = '') =>
  resettable(Type.Number({ description: `Price in USD per 1M ${of} tokens${which}, at most 1000000. null: ${without}.` }))
const ModelFields = Type.Object(
  {
    upstream_name: resettable({ ...Name, description: "The provider's name of the model. null: the same as `id`." }),
    api: Type.Optional({
      ...oneOf(MODEL_APIS, 'ModelApi'),
      description:
        'The API in which the provider gets chats for this model. `responses`: only for the kinds `openai` and `azure-openai`.',
    }),
    fallback_order: Type.Optional(
      Type.Integer({
        description:
          'From 0 (default) to 100. Healthy providers of the same model with a lower number get its requests first, and those with the same number share them. With another `upstream_name` the fallback is another model.',
      }),
    ),
    input_price: price('prompt'),
    output_price: price('completion'),
    cache_read_price: price('prompt', 'the same as `input_price`', ' that the provider reads from its cache'),
    cache_write_price: price('prompt', 'the same as `input_price`', ' that the provider writes to its cache'),
    cache_write_1h_price: price(
      'prompt',
      'the same as `cache_write_price`',
      ' that the provider writes to its cache for an hour',
    ),
    reasoning_price: price('reasoning', 'the same as `output_price`'),
    request_price: resettable(Type.Number({ description: 'Price of one request in USD, at most 1000000. null: 0.' })),
  },
  { title: 'ProviderModelFields' },
)
const ModelBody = Type.Object({ id: Type.String({ maxLength: 200 }), ...ModelFields.properties })
const ModelsBody = Type.Object({ models: Type.Array(ModelBody, { minItems: 1, maxItems: MAX_AT_ONCE }) })

const PRICES = Object.fromEntries(PRICE_FIELDS.map((field) => [field, nullable(Type.Number())]))

const PriceView = Type.Object(
  {
    version: Type.String({
      description:
        '`operator`: the prices above. `stub`: the built-in provider. Otherwise the price list of this release, with its version.',
    }),
    ...PRICES,
  },
  { description: 'The price that counts now, of the lowest tier. null: no price is known, so costs are not recorded.' },
)

const ModelView = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    provider_id: Type.String(),
    upstream_name: nullable(Name),
    api: oneOf(MODEL_APIS, 'ModelApi'),
    fallback_order: Type.Integer(),
    ...PRICES,
    price: nullable(PriceView),
    created_at: Timestamp,
  },
  { title: 'ProviderModel' },
)

const UNKNOWN = { 404: 'NOT_FOUND: the provider, the model, or the Workspace' }

const docs = {
  listAll: inWorkspace('GET /models', 'listAllModels', 'List the models of all providers, by provider and id', {
    scope: 'providers:read',
    query: PAGE,
    answers: { 200: List(ModelView) },
  }),
  list: inWorkspace('GET /providers/:id/models', 'listProviderModels', 'List the models of a provider, by id', {
    scope: 'providers:read',
    query: PAGE,
    answers: { 200: List(ModelView) },
    errors: UNKNOWN,
  }),
  putMany: inWorkspace('POST /providers/:id/models', 'putModels', 'Add or change models of a provider', {
    scope: 'providers:write',
    description: `At most ${MAX_AT_ONCE} models, all or none of them. Other models stay unchanged.`,
    body: ModelsBody,
    answers: {
      200: Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelView) }, { title: 'ChangedProviderModels' }),
    },
    errors: UNKNOWN,
  }),
  put: inWorkspace('PUT /providers/:id/models/:model', 'putModel', 'Add or replace a model. Missing fields become unknown', {
    scope: 'providers:write',
    description: 'With the header `If-None-Match: *`, an existing model stays unchanged and the response is 409.',
    body: ModelFields,
    answers: { 200: ModelView },
    errors: { ...UNKNOWN, 409: 'CONFLICT: the model exists, and `If-None-Match: *` was sent' },
  }),
  patch: inWorkspace('PATCH /providers/:id/models/:model', 'patchModel', 'Change a model. Missing fields stay unchanged', {
    scope: 'providers:write',
    body: ModelFields,
    answers: { 200: ModelView },
    errors: UNKNOWN,
  }),
  remove: inWorkspace('DELETE /providers/:id/models/:model', 'deleteModel', 'Delete a model', {
    scope: 'providers:write',
    answers: { 204: null },
    errors: UNKNOWN,
  }),
}

export function modelsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, clock, providers } = deps

  handle(app, docs.listAll, async ({ workspaceId, query }) =>
    listOf(pageAmong(await providers.get(workspaceId), pageOf(query)), modelView(clock.now()), keyOf),
  )

  handle(app, docs.list, async ({ workspaceId, params, query }) => {
    const provider = await requireProvider(db, workspaceId, params.id)
    const { data, hasMore } = await listModels(db, workspaceId, params.id, pageOf(query))
    const offers = { data: data.map((model) => ({ provider, model })), hasMore }
    return listOf(offers, modelView(clock.now()), ({ model }) => model.id)
  })

  handle(app, docs.putMany, async (request) => {
    const { params, body } = request
    const provider = await requireProvider(deps.db, request.workspaceId, params.id)
    const models = body.models.map(({ id, ...fields }, index) => newModel(provider.kind, id, fields, `models[${index}].`))
    const duplicate = models.findIndex(({ id }, index) => models.findIndex((model) => model.id === id) < index)
    if (duplicate >= 0) throw invalid({ param: `models[${duplicate}].id`, message: 'is in the list twice' })
    const fields = models.map(({ id }) => `models.${id}`)
    return { object: 'list', data: await put(deps, request, provider, models, { id: params.id, fields }) }
  })

  oneModelRoutes(app, deps)
}

function oneModelRoutes(app: TypedApp, deps: AdminDeps): void {
  handle(app, docs.put, async (request) => {
    const { workspaceId, params, body, headers } = request
    const target = { id: `${params.id}/${params.model}`, fields: changedFields(ModelFields, body) }
    const provider = await requireProvider(deps.db, workspaceId, params.id)
    const mustBeNew = headers['if-none-match'] === '*'
    const [model] = await put(deps, request, provider, [newModel(provider.kind, params.model, body, '')], target, async (tx) => {
      const existing = mustBeNew && (await findModelForChange(tx, workspaceId, params.id, params.model))
      if (existing) throw taken('model', 'Model name')
    })
    return model
  })

  handle(app, docs.patch, async (request) => {
    const { workspaceId, params, body } = request
    const provider = await requireProvider(deps.db, workspaceId, params.id)
    return change(deps, request, async (tx, now) => {
      const stored = requireFound(await findModelForChange(tx, workspaceId, params.id, params.model), 'model')
      const model = newModel(provider.kind, params.model, { ...fieldsOf(stored), ...body }, '')
      await putModels(tx, workspaceId, params.id, [model], now)
      const value = modelView(now)({ provider, model: { ...stored, ...model } })
      const id = `${params.id}/${params.model}`
      const fields = changedFields(ModelFields, body)
      return { value, action: 'model.put', id, fields, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
  })

  handle(app, docs.remove, async (request, reply) => {
    const { workspaceId, params } = request
    await change(deps, request, async (tx) => {
      if (!(await deleteModel(tx, workspaceId, params.id, params.model))) throw notFound('model')
      const id = `${params.id}/${params.model}`
      return { value: undefined, action: 'model.delete', id, announce: [PROVIDERS_TOPIC, workspaceId] }
    })
    return reply.status(204).send()
  })
}

const put = (
  deps: ChangeDeps,
  request: FastifyRequest,
  provider: OfferingProvider,
  models: readonly NewModel[],
  target: { readonly id: string; readonly fields: readonly string[] },
  check: (tx: Tx) => Promise<void> = async () => {},
) =>
  change(deps, request, async (tx, now) => {
    const { workspaceId } = request
    await check(tx)
    if (!(await putModels(tx, workspaceId, provider.id, models, now))) throw notFound('provider')
    const ids = new Set(models.map(({ id }) => id))
    const stored = (await listModels(tx, workspaceId, provider.id, ALL)).data.filter(({ id }) => ids.has(id))
    const value = stored.map((model) => modelView(now)({ provider, model }))
    return { value, action: 'model.put', ...target, announce: [PROVIDERS_TOPIC, workspaceId] }
  })

type NewModel = Omit<ProviderModel, 'createdAt'>

const requireProvider = async (db: Db, workspaceId: string, id: string): Promise<OfferingProvider> =>
  requireFound(await findProvider(db, workspaceId, id), 'provider')

/** Throws a 400 for an invalid model. `at`: its path in the body. */
function newModel(kind: ProviderKind, id: string, fields: Static<typeof ModelFields>, at: string): NewModel {
  const model = {
    id,
    upstreamName: fields.upstream_name ?? null,
    api: fields.api ?? 'chat',
    fallbackOrder: fields.fallback_order ?? 0,
    ...pricesOf(fields),
  }
  const problem = findModelProblem(model, kind)
  if (problem) throw invalid({ ...problem, param: at + problem.param })
  return model
}

const fieldsOf = (model: ProviderModel): Static<typeof ModelFields> => ({
  upstream_name: model.upstreamName,
  ...(model.api && { api: model.api }),
  fallback_order: model.fallbackOrder ?? 0,
  ...priceFieldsOf(model),
})

type OfferingProvider = PricedProvider & Pick<Provider, 'id'>

interface Offer {
  readonly provider: OfferingProvider
  readonly model: ProviderModel
}

/** Sorts by provider and model, because provider ids have no character before line feed. */
const keyOf = ({ provider, model }: Offer): string => `${provider.id}\n${model.id}`

function pageAmong(providers: readonly Provider[], { limit, after = '' }: PageRequest): Page<Offer> {
  const rest = providers
    .flatMap((provider) => provider.models.map((model) => ({ provider, model })))
    .filter((offer) => keyOf(offer) > after)
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return { data: rest.slice(0, limit), hasMore: rest.length > limit }
}

const modelView =
  (at: Date) =>
  ({ provider, model }: Offer) => {
    const price = priceOf(provider, model, at)
    return {
      id: model.id,
      object: 'model' as const,
      provider_id: provider.id,
      upstream_name: model.upstreamName,
      api: model.api ?? 'chat',
      fallback_order: model.fallbackOrder ?? 0,
      ...priceFieldsOf(model),
      price: price && isPriced(price, false) ? { version: price.version, ...priceFieldsOf(price.listed) } : null,
      created_at: model.createdAt.toISOString(),
    }
  }
