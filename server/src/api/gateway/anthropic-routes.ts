import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anthropicMessages } from '../../dialects/anthropic-messages/anthropic-messages.ts'
import type { ModelEntry } from '../../domains/providers/route.ts'
import { runPipeline } from '../../pipeline/pipeline.ts'
import type { IncomingRequest, Parsed } from '../../pipeline/request.ts'
import { isObject } from '../../platform/lib/untrusted-json.ts'
import type { TypedApp } from '../kit/route.ts'
import { type ChatDeps, chatRoute, incomingOf, isAnthropicClient, largeBodyRoute, parserOf } from './chat.ts'
import { preflightRoute } from './cors.ts'
import * as docs from './gateway-schemas.ts'
import { withGovernanceHeaders } from './governance-headers.ts'
import { sendResult } from './send-response.ts'

/** Without an alias: `/messages` is no path of the messaging API either (API-HTTP-2). */
const PATH = '/v1/messages'

declare module 'fastify' {
  interface RouteConstraint {
    readonly client?: 'anthropic'
  }
}

/** `POST /v1/messages` is also a path of the messaging API. Routes with this constraint serve only clients of Anthropic's API. */
function distinguishClients(app: FastifyInstance): void {
  app.addConstraintStrategy({
    name: 'client',
    storage: () => {
      const handlers = new Map<unknown, never>()
      return { get: (key) => handlers.get(key) ?? null, set: (key, handler) => void handlers.set(key, handler as never) }
    },
    deriveConstraint: ({ headers }) => (isAnthropicClient(headers) ? 'anthropic' : undefined),
    validate: () => {},
  })
}

/** The Messages API of Anthropic (GW-ANT-1): chats, and the count of their tokens. */
export function anthropicRoutes(app: TypedApp, plain: FastifyInstance, deps: ChatDeps): void {
  distinguishClients(plain)
  for (const path of [PATH, `${PATH}/count_tokens`]) preflightRoute(plain, path, 'POST')
  chatRoute(app, { ...docs.anthropicMessages(PATH), constraints: { client: 'anthropic' } }, anthropicMessages, deps)
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    const parse = withGovernanceHeaders(request.raw, countParser(deps))
    const result = await runPipeline({ ...incomingOf(request, reply), endpoint: 'chat', parse }, deps)
    return sendResult(reply, result, () => ({ input_tokens: result.trace.results.admit?.tokens ?? 0 }))
  }
  largeBodyRoute(app, docs.countTokens(PATH), count, deps, anthropicMessages)
}

/** The chat as a dry run: classified and decided on, without a provider. */
function countParser(deps: ChatDeps): IncomingRequest['parse'] {
  const parse = parserOf(anthropicMessages, deps)
  return (body, application): Parsed => {
    // Only a chat needs the field.
    const { parsed } = parse(isObject(body) ? { max_tokens: 1, ...body } : body, application)
    return parsed.ok ? { ok: true, request: { ...parsed.request, dryRun: true } } : parsed
  }
}

/** The list of models in the form of this API, as JSON: the schema of the route describes the other form. */
export const anthropicModels = (models: readonly ModelEntry[]): string =>
  JSON.stringify({
    data: models.map(({ id, created }) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: new Date(created * 1_000).toISOString(),
    })),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  })

export const asksInAnthropicForm = ({ headers }: FastifyRequest): boolean => headers['anthropic-version'] !== undefined
