import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../domain/principal.ts'
import { hasLargeBody, LARGE_BODY } from '../http/large-bodies.ts'
import { type PipelineDeps, runPipeline } from '../pipeline/pipeline.ts'
import type { Exchange } from '../pipeline/request.ts'
import { answer, answerChat, chatInTime, closed } from './answers.ts'
import { type ChatLimits, parseChat } from './chat-request.ts'
import { type AllowedOrigins, answerCors, preflightRoute } from './cors.ts'
import * as docs from './gateway-schemas.ts'
import { governanceOf } from './governance.ts'
import { knowledgeHit, memoryHit } from './hits.ts'
import { parseCapture, parseKnowledgeSearch, parseMemorySearch, parseModel, parseNothing } from './other-requests.ts'

export interface GatewayDeps extends PipelineDeps {
  readonly allowedOrigins: AllowedOrigins
  readonly chatLimits: ChatLimits
}

type Parse = Exchange['parse']
const NO_BODY = new Uint8Array()

/** The six endpoints: read the body's bytes, run the pipeline, answer. What a body means is decided behind the API key. */
export async function gatewayRoutes(app: FastifyInstance, deps: GatewayDeps): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json\b/i, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  // Bodies are checked by stage 2, after the key: the schemas here are documentation.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)

  answerCors(app, deps)
  const paths = ['/v1/chat/completions', '/chat/completions', '/v1/knowledge/search', '/v1/memory/search', '/v1/memory/capture']
  for (const path of paths) preflightRoute(app, path, 'POST')
  const readOnly = ['/v1/models', '/models'].flatMap((path) => [path, `${path}/*`])
  for (const path of [...readOnly, '/v1/audit/:id']) preflightRoute(app, path, 'GET')

  const run = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, parse: Parse) =>
    runPipeline(exchangeOf(endpoint, request, reply, parse), deps)

  const chat: Parse = (body, application) => parseChat(body, application, deps.chatLimits)
  const answerTo = async (request: FastifyRequest, reply: FastifyReply) => {
    const exchange = exchangeOf('chat', request, reply, chat)
    return answerChat(reply, await chatInTime(exchange, deps))
  }
  // Who has no key is refused by stage 1 at once, without the body.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    !hasLargeBody(request) || (await hasKey(request, deps)) ? undefined : answerTo(request, reply)
  for (const path of ['/v1/chat/completions', '/chat/completions']) {
    const options = { schema: docs.chat(path), config: LARGE_BODY, bodyLimit: deps.chatLimits.bodyBytes }
    app.post(path, { ...options, onRequest }, answerTo)
  }
  // Ids such as `meta-llama/Llama-3` hold slashes, which clients send as they are or percent-encoded.
  const modelRoutes = (path: string) => {
    const oneModel = async (id: string, request: FastifyRequest, reply: FastifyReply) => {
      const result = await run('models', request, reply, parseModel(id))
      return answer(reply, result, () => ({ ...result.trail.facts.route?.models[0], object: 'model' }))
    }
    app.get<{ Params: { id: string } }>(`${path}/:id`, { schema: docs.model(path) }, (request, reply) =>
      oneModel(request.params.id, request, reply),
    )
    app.get<{ Params: { '*': string } }>(`${path}/*`, { schema: { hide: true } }, (request, reply) =>
      oneModel(request.params['*'], request, reply),
    )
  }
  for (const path of ['/v1/models', '/models']) {
    app.get(path, { schema: docs.models(path) }, async (request, reply) => {
      const result = await run('models', request, reply, parseNothing(undefined))
      return answer(reply, result, () => ({
        object: 'list',
        data: (result.trail.facts.route?.models ?? []).map((model) => ({ ...model, object: 'model' })),
      }))
    })
    modelRoutes(path)
  }
  app.get<{ Params: { id: string } }>('/v1/audit/:id', { schema: docs.audit }, async (request, reply) => {
    const result = await run('audit', request, reply, parseNothing(request.params.id))
    return answer(reply, result, () => result.trail.facts.authorize?.found)
  })
  app.post('/v1/knowledge/search', { schema: docs.knowledgeSearch }, async (request, reply) => {
    const result = await run('knowledge_search', request, reply, parseKnowledgeSearch)
    return answer(reply, result, () => ({
      object: 'list',
      data: (result.trail.facts.inspect?.passages ?? []).map(knowledgeHit),
      governance: governanceOf(result),
    }))
  })
  app.post('/v1/memory/search', { schema: docs.memorySearch }, async (request, reply) => {
    const result = await run('memory_search', request, reply, parseMemorySearch)
    return answer(reply, result, () => ({
      object: 'list',
      data: (result.trail.facts.inspect?.memories ?? []).map(memoryHit),
      governance: governanceOf(result),
    }))
  })
  app.post('/v1/memory/capture', { schema: docs.memoryCapture }, async (request, reply) => {
    const result = await run('memory_capture', request, reply, parseCapture)
    const [kept] = result.remembered
    return answer(reply, result, () => ({
      stored: kept !== undefined,
      ...(kept && { memory_id: kept.id, mode: kept.mode }),
      governance: governanceOf(result),
    }))
  })
}

/** False also where the database does not answer: the pipeline then says so. */
const hasKey = ({ headers }: FastifyRequest, { authenticator }: GatewayDeps): Promise<boolean> =>
  authenticator.authenticate(headers.authorization).then(
    ({ ok }) => ok,
    () => false,
  )

function exchangeOf(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, parse: Parse): Exchange {
  const userToken = request.headers['x-gateway-user-token']
  return {
    endpoint,
    requestId: request.id,
    authorization: request.headers.authorization,
    userToken: Array.isArray(userToken) ? userToken.join() : userToken,
    body: (request.body as Uint8Array | undefined) ?? NO_BODY,
    callerGone: () => closed(reply),
    parse,
  }
}
