import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { DISCOVERY_CAUSES, type DiscoveryCause } from '../../../domains/providers/connection-causes.ts'
import type { Provider } from '../../../domains/providers/provider.ts'
import { type ConnectionTest, testConnection } from '../../../domains/providers/test-connection.ts'
import { GatehouseError } from '../../../errors.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { conflict, requireFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'

const discoveryDocs = inWorkspace(
  'POST /providers/:id/discover',
  'discoverModels',
  'Test the connection to a provider and list the models that it offers. Nothing is stored',
  {
    scope: 'providers:write',
    description:
      'Reads the list of models, then sends one model the text `Hi` with `max_tokens: 1`, because some servers send their list without a key. The provider may charge for this token. An embedding model gets the text to embed.',
    query: {
      model: Type.Optional(
        Type.String({
          maxLength: 200,
          description:
            "The model to ask: one of the provider's models, or the provider's own name of one. Default: the first model that was added, else the first one of the list.",
        }),
      ),
    },
    answers: {
      200: Type.Object({
        object: Type.Literal('list'),
        has_list: Type.Boolean({ description: 'Whether the provider has a list of models.' }),
        data: Type.Array(
          Type.Object({
            id: Type.String(),
            known: Type.Boolean({ description: 'Whether the provider has this model already.' }),
          }),
        ),
        left_out: Type.Object(
          { embedding: Type.Integer(), other: Type.Integer() },
          { description: 'How many models of the list are not in `data`, because their names say that they cannot chat.' },
        ),
        call: nullable(
          Type.Object(
            {
              model: Type.String({ description: "The provider's name of the model." }),
              outcome: {
                ...oneOf(['answered', 'refused']),
                description:
                  '`refused`: the provider has accepted the key, but this model takes no request of one token, or none of this API.',
              },
              ms: Type.Integer(),
            },
            { description: 'null: there was no model to ask, so the key may not have been checked.' },
          ),
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
  handle(app, discoveryDocs, async ({ workspaceId, params, query, log }) => {
    const providers = await deps.providers.get(workspaceId)
    const provider = requireFound(
      providers.find(({ id }) => id === params.id),
      'provider',
    )
    const known = new Set(provider.models.map(({ id, upstreamName }) => upstreamName ?? id))
    const { list, call } = await test(provider, query.model, deps, log)
    const { models = [], leftOut = { embedding: 0, other: 0 } } = list ?? {}
    const data = models.map((id) => ({ id, known: known.has(id) }))
    return { object: 'list', has_list: list !== undefined, data, left_out: leftOut, call: call ?? null }
  })
}

/** Throws an error with the cause, which never has the provider's own text. */
async function test(
  provider: Provider,
  model: string | undefined,
  { invokeDeps, health, clock }: AdminDeps,
  log: FastifyBaseLogger,
): Promise<Extract<ConnectionTest, { ok: true }>> {
  const { pools } = invokeDeps
  if (provider.kind === 'stub') throw conflict('A stub has no connection to test. Enter its models by hand.')
  if (provider.problem) {
    const message = 'The configuration of the provider is incomplete. Resolve the problem in the details first.'
    throw conflict(message, { details: { problem: provider.problem } })
  }
  if (pools.endpoint(provider).models === undefined && provider.models.length === 0 && model === undefined)
    throw conflict('The provider has no list of models. Add a model by name, then test again.')
  const startedAt = elapsed()
  const result = await testConnection(provider, pools, invokeDeps, model)
  if (result.ok) {
    if (result.call) {
      health.clearFault(provider)
      invokeDeps.onRecovered?.(provider)
    }
    return result
  }
  const { failure, status, code } = result.failure
  const { cause } = result
  const kind = FAULTS[cause]
  if (kind) health.setLastError(provider, { kind, at: clock.now(), fault: true })
  const ms = Math.round(elapsed() - startedAt)
  const details = { cause, failure, ms, ...(status > 0 && { status }) }
  log.warn({ provider: provider.id, ...details, ...(code && { code }) }, 'the connection test of a provider failed')
  throw new GatehouseError(failure === 'timeout' ? 'PROVIDER_TIMEOUT' : 'PROVIDER_ERROR', {
    message: `The provider failed the connection test after ${ms} ms. ${DISCOVERY_CAUSES[cause]}`,
    details,
  })
}

/** Causes that lead to the same error for every request, by the names of that error. */
const FAULTS: Partial<Record<DiscoveryCause, string>> = {
  unauthorized: 'key_rejected',
  token_rejected: 'key_rejected',
  quota_exhausted: 'quota_exhausted',
}
