import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { GatehouseError } from '../errors.ts'
import { discoverModels } from '../providers/discover.ts'
import { CAUSES, causeOf } from '../providers/discovery-cause.ts'
import type { Provider } from '../providers/provider.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { inWorkspace } from './operation.ts'
import { notFound } from './refusals.ts'
import { pathOf } from './shapes.ts'

const docs = inWorkspace('discoverModels', 'Ask a provider which models it has; nothing is stored', {
  scope: 'providers:write',
  query: {},
  params: pathOf('id'),
  answers: {
    200: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({ id: Type.String(), known: Type.Boolean({ description: 'Whether Applications can be offered it.' }) }),
      ),
    }),
  },
  errors: {
    404: 'NOT_FOUND: the provider, or the Workspace',
    409: 'CONFLICT: a stub, or a provider that cannot be called',
    502: `PROVIDER_ERROR, with the cause in \`details.cause\`: ${Object.keys(CAUSES).join(', ')}`,
    504: 'PROVIDER_TIMEOUT',
  },
})

export function discoveryRoutes(app: AdminApp, deps: AdminDeps): void {
  app.post('/providers/:id/discover', { schema: docs }, async ({ workspaceId, params, log }) => {
    const provider = (await deps.providers.get(workspaceId)).find(({ id }) => id === params.id)
    if (!provider) throw notFound('provider')
    const known = new Set(provider.models.map(({ id, upstreamName }) => upstreamName ?? id))
    const models = await discovered(provider, deps, log)
    return { object: 'list', data: models.map((id) => ({ id, known: known.has(id) })) }
  })
}

/** Throws what went wrong in words of our own: the provider's text is never echoed. */
async function discovered(
  provider: Provider,
  { providerCalls, clock }: AdminDeps,
  log: FastifyBaseLogger,
): Promise<readonly string[]> {
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
  const { failure, status, code } = found
  const cause = causeOf(found)
  const details = { cause, failure, ...(status > 0 && { status }) }
  log.warn({ provider: provider.id, ...details, ...(code && { code }) }, 'the test of a provider failed')
  throw new GatehouseError(failure === 'timeout' ? 'PROVIDER_TIMEOUT' : 'PROVIDER_ERROR', {
    message: `The provider did not list its models. ${CAUSES[cause]}`,
    details,
  })
}
