import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import type { Provider } from '../../../domains/providers/provider.ts'
import { causeOf, DISCOVERY_CAUSES, testConnection } from '../../../domains/providers/test-connection.ts'
import { GatehouseError } from '../../../errors.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { conflict, requireFound } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'

const docs = inWorkspace(
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
  handle(app, docs, async ({ workspaceId, params, log }) => {
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
  if (pools.endpoint(provider).models === undefined && provider.models.length === 0) {
    throw conflict('The provider has no list of models. Add a model by name, then test again.')
  }
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
