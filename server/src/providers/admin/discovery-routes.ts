import type { FastifyBaseLogger } from 'fastify'
import { Type } from 'typebox'
import { inWorkspace } from '../../admin/kit/operation.ts'
import { GatehouseError } from '../../errors.ts'
import { notFound } from '../../http/refusals.ts'
import { handle, type TypedApp } from '../../http/route.ts'
import type { Cache } from '../../lib/cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { discoverModels } from '../discover-models.ts'
import { causeOf, DISCOVERY_CAUSES } from '../discovery-cause.ts'
import type { InvokeDeps } from '../invoke.ts'
import { KINDS_WITHOUT_LIST, type Provider } from '../provider.ts'

const docs = inWorkspace(
  'POST /providers/:id/discover',
  'discoverModels',
  'List the models that a provider offers. Nothing is stored',
  {
    scope: 'providers:write',
    answers: {
      200: Type.Object({
        object: Type.Literal('list'),
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
      409: 'CONFLICT: a stub, Azure, or an incomplete configuration',
      502: `PROVIDER_ERROR, with the cause in \`details.cause\`: ${Object.keys(DISCOVERY_CAUSES).join(', ')}`,
      504: 'PROVIDER_TIMEOUT',
    },
  },
)

interface Deps {
  readonly clock: Clock
  readonly providers: Cache<readonly Provider[]>
  readonly invokeDeps: Pick<InvokeDeps, 'pools'>
}

export function discoveryRoutes(app: TypedApp, deps: Deps): void {
  handle(app, docs, async ({ workspaceId, params, log }) => {
    const provider = (await deps.providers.get(workspaceId)).find(({ id }) => id === params.id)
    if (!provider) throw notFound('provider')
    const known = new Set(provider.models.map(({ id, upstreamName }) => upstreamName ?? id))
    const models = await loadModels(provider, deps, log)
    return { object: 'list', data: models.map((id) => ({ id, known: known.has(id) })) }
  })
}

/** Throws an error with the cause. It never contains the provider's own text. */
async function loadModels(provider: Provider, { invokeDeps, clock }: Deps, log: FastifyBaseLogger): Promise<readonly string[]> {
  if (KINDS_WITHOUT_LIST.has(provider.kind))
    throw new GatehouseError('CONFLICT', { message: 'A provider of this kind has no list of models. Enter the models by hand.' })
  if (provider.problem) {
    throw new GatehouseError('CONFLICT', {
      message: 'The configuration of the provider is incomplete. Resolve the problem in the details first.',
      details: { problem: provider.problem },
    })
  }
  const discovery = await discoverModels(provider, invokeDeps.pools, { clock })
  if (discovery.ok) return discovery.models
  const { failure, status, code } = discovery
  const cause = causeOf(discovery)
  const details = { cause, failure, ...(status > 0 && { status }) }
  log.warn({ provider: provider.id, ...details, ...(code && { code }) }, 'the models of a provider could not be listed')
  throw new GatehouseError(failure === 'timeout' ? 'PROVIDER_TIMEOUT' : 'PROVIDER_ERROR', {
    message: `The provider did not list its models. ${DISCOVERY_CAUSES[cause]}`,
    details,
  })
}
