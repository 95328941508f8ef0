import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../domain/principal.ts'
import { readRawJsonBodies } from '../http/bodies.ts'
import { hasLargeBody, LARGE_BODY } from '../http/large-bodies.ts'
import { handle, type TypedApp } from '../http/route.ts'
import { chatWithApprovalWait, type PipelineDeps, runPipeline } from '../pipeline/pipeline.ts'
import type { PipelineResult } from '../pipeline/pipeline-result.ts'
import type { IncomingRequest } from '../pipeline/request.ts'
import { type ChatLimits, parseChat } from './chat-request.ts'
import { type AllowedOrigins, preflightRoute, registerCors } from './cors.ts'
import * as docs from './gateway-schemas.ts'
import { governanceOf } from './governance.ts'
import { knowledgeHit, memoryHit } from './hits.ts'
import { parseCapture, parseKnowledgeSearch, parseMemorySearch, parseModel, parseNothing } from './other-requests.ts'
import { abortOnClose, sendChatResult, sendResult } from './send-response.ts'

export interface GatewayDeps extends PipelineDeps {
  readonly allowedOrigins: AllowedOrigins
  readonly chatLimits: ChatLimits
}

type Parse = IncomingRequest['parse']
const NO_BODY = new Uint8Array()

/** The six endpoints: read the body's bytes, run the pipeline, respond. A body is parsed only after its API key. */
export async function gatewayRoutes(plain: FastifyInstance, deps: GatewayDeps): Promise<void> {
  const app = plain.withTypeProvider<TypeBoxTypeProvider>()
  readRawJsonBodies(plain)
  // Stage 2 validates bodies, after the key; the schemas here are documentation.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)

  registerCors(plain, deps)
  const paths = [...CHAT_PATHS, '/v1/knowledge/search', '/v1/memory/search', '/v1/memory/capture']
  for (const path of paths) preflightRoute(plain, path, 'POST')
  const readOnly = MODEL_PATHS.flatMap((path) => [path, `${path}/*`])
  for (const path of [...readOnly, '/v1/audit/:id']) preflightRoute(plain, path, 'GET')

  for (const path of CHAT_PATHS) chatRoute(app, path, deps)
  const run: Run = (endpoint, request, reply, parse) => runPipeline(incomingOf(endpoint, request, reply, parse), deps)
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
const MODEL_PATHS = ['/v1/models', '/models'] as const

type Run = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, parse: Parse) => Promise<PipelineResult>

function chatRoute(app: TypedApp, path: docs.Path, deps: GatewayDeps): void {
  const parse: Parse = (body, application) => parseChat(body, application, deps.chatLimits)
  const chat = async (request: FastifyRequest, reply: FastifyReply) =>
    sendChatResult(reply, await chatWithApprovalWait(incomingOf('chat', request, reply, parse), deps))
  // Stage 1 refuses a request without a valid key at once, before its body is read.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    !hasLargeBody(request) || (await hasKey(request, deps)) ? undefined : chat(request, reply)
  handle(app, { ...docs.chat(path), config: LARGE_BODY, bodyLimit: deps.chatLimits.bodyBytes, onRequest }, chat)
}

/** Ids such as `meta-llama/Llama-3` contain slashes, which clients send plain or percent-encoded. */
function modelRoutes(app: TypedApp, path: docs.Path, run: Run): void {
  const oneModel = async (id: string, request: FastifyRequest, reply: FastifyReply) => {
    const result = await run('models', request, reply, parseModel(id))
    return sendResult(reply, result, () => ({ ...result.trace.results.route?.models[0], object: 'model' }))
  }
  handle(app, docs.models(path), async (request, reply) => {
    const result = await run('models', request, reply, parseNothing(undefined))
    return sendResult(reply, result, () => ({
      object: 'list',
      data: (result.trace.results.route?.models ?? []).map((model) => ({ ...model, object: 'model' })),
    }))
  })
  handle(app, docs.model(path), (request, reply) => oneModel(paramOf(request, 'id'), request, reply))
  app.get(`${path}/*`, { schema: { hide: true } }, (request, reply) => oneModel(paramOf(request, '*'), request, reply))
}

const paramOf = ({ params }: FastifyRequest, name: string): string => (params as Record<string, string>)[name] ?? ''

function searchRoutes(app: TypedApp, run: Run): void {
  handle(app, docs.knowledgeSearch, async (request, reply) => {
    const result = await run('knowledge_search', request, reply, parseKnowledgeSearch)
    return sendResult(reply, result, () => ({
      object: 'list',
      data: (result.trace.results.inspect?.passages ?? []).map(knowledgeHit),
      governance: governanceOf(result),
    }))
  })
  handle(app, docs.memorySearch, async (request, reply) => {
    const result = await run('memory_search', request, reply, parseMemorySearch)
    return sendResult(reply, result, () => ({
      object: 'list',
      data: (result.trace.results.inspect?.memories ?? []).map(memoryHit),
      governance: governanceOf(result),
    }))
  })
}

/** Also false if the database does not respond; the pipeline then answers with that error. */
const hasKey = ({ headers }: FastifyRequest, { authenticator }: GatewayDeps): Promise<boolean> =>
  authenticator.authenticate(headers.authorization).then(
    ({ ok }) => ok,
    () => false,
  )

function incomingOf(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, parse: Parse): IncomingRequest {
  const userToken = request.headers['x-gateway-user-token']
  return {
    endpoint,
    requestId: request.id,
    authorization: request.headers.authorization,
    userToken: Array.isArray(userToken) ? userToken.join() : userToken,
    body: (request.body as Uint8Array | undefined) ?? NO_BODY,
    clientSignal: () => abortOnClose(reply),
    parse,
  }
}
