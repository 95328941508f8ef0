import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anthropicMessages } from '../../dialects/anthropic-messages/anthropic-messages.ts'
import { openaiChat } from '../../dialects/openai-chat/openai-chat.ts'
import { openaiResponses } from '../../dialects/openai-responses/openai-responses.ts'
import type { ModelEntry } from '../../domains/providers/route.ts'
import { governanceOf } from '../../pipeline/governance-block.ts'
import { runPipeline } from '../../pipeline/pipeline.ts'
import type { PipelineResult } from '../../pipeline/pipeline-result.ts'
import type { IncomingRequest, Parsed } from '../../pipeline/request.ts'
import { isObject } from '../../platform/lib/untrusted-json.ts'
import { viewOf } from '../../platform/lib/view.ts'
import type { Endpoint } from '../../shared/principal.ts'
import { readRawJsonBodies } from '../kit/bodies.ts'
import { sendError } from '../kit/error-responses.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { type ChatDeps, chatRoute, incomingOf, isAnthropicClient, largeBodyRoute, parserOf } from './chat.ts'
import { type AllowedOrigins, preflightRoute, registerCors } from './cors.ts'
import * as docs from './gateway-schemas.ts'
import { withGovernanceHeaders } from './governance-headers.ts'
import { anthropicMessagesRoute, countTokensRoute } from './messages-schemas.ts'
import {
  parseCapture,
  parseEmbeddings,
  parseKnowledgeSearch,
  parseMemorySearch,
  parseModel,
  parseNothing,
} from './other-requests.ts'
import { sendEmbeddings, sendResult } from './send-response.ts'
import { storedResponseRoutes } from './stored-responses-routes.ts'

export interface GatewayDeps extends ChatDeps {
  readonly allowedOrigins: AllowedOrigins
}

type Parse = IncomingRequest['parse']

/** The endpoints: read the body's bytes, run the pipeline, respond. A body is parsed only after its API key. */
export async function gatewayRoutes(plain: FastifyInstance, deps: GatewayDeps): Promise<void> {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>()
  readRawJsonBodies(plain)
  registerCors(plain, deps)
  const bodies = [...CHAT_PATHS, ...RESPONSES_PATHS, ...EMBEDDINGS_PATHS]
  const paths = [...bodies, '/v1/knowledge/search', '/v1/memory/search', '/v1/memory/capture']
  for (const path of paths) preflightRoute(plain, path, 'POST')
  const readOnly = MODEL_PATHS.flatMap((path) => [path, `${path}/*`])
  for (const path of [...readOnly, '/v1/audit/:id']) preflightRoute(plain, path, 'GET')

  for (const path of CHAT_PATHS) chatRoute(app, docs.chat(path), openaiChat, deps)
  for (const path of RESPONSES_PATHS) {
    chatRoute(app, docs.responses(path), openaiResponses, deps)
    storedResponseRoutes(app, plain, path, deps)
  }
  anthropicRoutes(app, plain, deps)
  const run: Run = (endpoint, request, reply, parse) =>
    runPipeline({ ...incomingOf(request, reply), endpoint, parse: withGovernanceHeaders(request.raw, parse) }, deps)
  for (const path of EMBEDDINGS_PATHS) embeddingsRoute(app, path, run, deps)
  ungovernedRoutes(plain)
  for (const path of MODEL_PATHS) modelRoutes(app, path, run)
  handle(app, docs.audit, async (request, reply) => {
    const result = await run('audit', request, reply, parseNothing(paramOf(request, 'id')))
    return sendResult(reply, result, () => result.trace.results.authorize?.auditRecord)
  })
  searchRoutes(app, run)
  handle(app, docs.memoryCapture, async (request, reply) => {
    const result = await run('memory_capture', request, reply, parseCapture)
    const [stored] = result.remembered
    return sendResult(reply, result, () => ({
      stored: stored !== undefined,
      ...(stored && { memory_id: stored.id, mode: stored.mode }),
      governance: governanceOf(result),
    }))
  })
}

const CHAT_PATHS = ['/v1/chat/completions', '/chat/completions'] as const
const RESPONSES_PATHS = ['/v1/responses', '/responses'] as const
const EMBEDDINGS_PATHS = ['/v1/embeddings', '/embeddings'] as const
const MODEL_PATHS = ['/v1/models', '/models'] as const

type Run = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, parse: Parse) => Promise<PipelineResult>

function embeddingsRoute(app: TypedApp, path: docs.Path, run: Run, deps: GatewayDeps): void {
  const parse: Parse = (body) => parseEmbeddings(body, deps.chatLimits)
  const send = async (request: FastifyRequest, reply: FastifyReply) =>
    sendEmbeddings(reply, await run('embeddings', request, reply, parse))
  largeBodyRoute(app, docs.embeddings(path), send, deps)
}

/** Ids such as `meta-llama/Llama-3` contain slashes, which clients send plain or percent-encoded. */
function modelRoutes(app: TypedApp, path: docs.Path, run: Run): void {
  const oneModel = async (id: string, request: FastifyRequest, reply: FastifyReply) => {
    const result = await run('models', request, reply, parseModel(id))
    return sendResult(reply, result, () => ({ ...result.trace.results.route?.models[0], object: 'model' }))
  }
  handle(app, docs.models(path), async (request, reply) => {
    const result = await run('models', request, reply, parseNothing(undefined))
    const models = result.trace.results.route?.models ?? []
    return sendResult(reply, result, () =>
      asksInAnthropicForm(request)
        ? anthropicModels(models)
        : { object: 'list', data: models.map((model) => ({ ...model, object: 'model' })) },
    )
  })
  handle(app, docs.model(path), (request, reply) => oneModel(paramOf(request, 'id'), request, reply))
  app.get(`${path}/*`, { schema: { hide: true } }, (request, reply) => oneModel(paramOf(request, '*'), request, reply))
}

const paramOf = ({ params }: FastifyRequest, name: string): string => (params as Record<string, string>)[name] ?? ''

function searchRoutes(app: TypedApp, run: Run): void {
  handle(app, docs.knowledgeSearch, async (request, reply) => {
    const result = await run('knowledge_search', request, reply, parseKnowledgeSearch)
    const { passages = [] } = result.trace.results.inspect ?? {}
    return sendResult(reply, result, () => ({
      object: 'list',
      data: passages.map((hit) => viewOf(docs.KnowledgeHit, hit, { chunk_id: hit.id, document_title: hit.title })),
      governance: governanceOf(result),
    }))
  })
  handle(app, docs.memorySearch, async (request, reply) => {
    const result = await run('memory_search', request, reply, parseMemorySearch)
    const { memories = [] } = result.trace.results.inspect ?? {}
    return sendResult(reply, result, () => ({
      object: 'list',
      data: memories.map((hit) => viewOf(docs.MemoryHit, hit, { memory_id: hit.id })),
      governance: governanceOf(result),
    }))
  })
}

/** Paths of the OpenAI API that carry content past the pipeline; the gateway does not serve them. */
const UNGOVERNED = [
  ...['completions', 'images', 'audio', 'files', 'uploads', 'batches', 'moderations', 'realtime', 'videos', 'vector_stores'],
  ...['assistants', 'threads', 'fine_tuning', 'containers', 'evals'],
  ...['responses/compact', 'responses/input_tokens'],
]

const MESSAGE =
  'The gateway does not govern this API yet. It serves chat/completions, responses, messages, embeddings, models, knowledge/search and memory.'

const refuse = async (_request: FastifyRequest, reply: FastifyReply) => sendError(reply, 'NOT_FOUND', { message: MESSAGE })

/** 404 that says which endpoints there are (GW-OTHER-1). */
function ungovernedRoutes(app: FastifyInstance): void {
  for (const name of UNGOVERNED) {
    for (const url of [`/v1/${name}`, `/v1/${name}/*`]) {
      // Before the body is read: files and sound come in forms, which the gateway does not read.
      app.all(url, { schema: { hide: true }, onRequest: refuse }, refuse)
    }
  }
}

/** Without an alias: `/messages` is no path of the messaging API either (API-HTTP-2). */
const ANTHROPIC_PATH = '/v1/messages'

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
function anthropicRoutes(app: TypedApp, plain: FastifyInstance, deps: ChatDeps): void {
  distinguishClients(plain)
  for (const path of [ANTHROPIC_PATH, `${ANTHROPIC_PATH}/count_tokens`]) preflightRoute(plain, path, 'POST')
  chatRoute(app, { ...anthropicMessagesRoute(ANTHROPIC_PATH), constraints: { client: 'anthropic' } }, anthropicMessages, deps)
  const count = async (request: FastifyRequest, reply: FastifyReply) => {
    const parse = withGovernanceHeaders(request.raw, countParser(deps))
    const result = await runPipeline({ ...incomingOf(request, reply), endpoint: 'chat', parse }, deps)
    return sendResult(reply, result, () => ({ input_tokens: result.trace.results.admit?.tokens ?? 0 }))
  }
  largeBodyRoute(app, countTokensRoute(ANTHROPIC_PATH), count, deps, anthropicMessages)
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
const anthropicModels = (models: readonly ModelEntry[]): string =>
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

const asksInAnthropicForm = ({ headers }: FastifyRequest): boolean => headers['anthropic-version'] !== undefined
