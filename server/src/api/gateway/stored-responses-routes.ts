import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TProperties } from 'typebox'
import type { StoredResponse } from '../../domains/responses/stored-response.ts'
import { runPipeline } from '../../pipeline/pipeline.ts'
import type { UsedResponse } from '../../pipeline/request.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import type { ChatDeps } from './chat.ts'
import { incomingOf } from './chat-route.ts'
import { preflightRoute } from './cors.ts'
import type { Path } from './gateway-schemas.ts'
import { sendResult } from './send-response.ts'
import { type ItemsPage, ItemsQuery, pageOfItems, problemOfPage, ReadQuery, storedResponseParser } from './stored-responses.ts'
import * as docs from './stored-responses-schemas.ts'

/** The action of a route on the stored response. */
interface Use extends Omit<UsedResponse, 'id'> {
  readonly query: TProperties
  readonly body: (stored: StoredResponse) => unknown
}

/** Stored responses: they are read and deleted by the Application and the user that they belong to (GW-RESP-19). */
export function storedResponseRoutes(app: TypedApp, plain: FastifyInstance, path: Path, deps: ChatDeps): void {
  preflightRoute(plain, `${path}/:id`, 'GET, DELETE')
  preflightRoute(plain, `${path}/:id/input_items`, 'GET')

  const send = async (request: FastifyRequest, reply: FastifyReply, { query, body, ...use }: Use) => {
    const parse = storedResponseParser(request, { id: idOf(request), ...use }, query)
    const result = await runPipeline({ ...incomingOf(request, reply), endpoint: 'stored_responses', parse }, deps)
    const stored = result.trace.results.authorize?.storedResponse
    return sendResult(reply, result, () => stored && body(stored))
  }

  handle(app, docs.getResponse(path), (request, reply) =>
    send(request, reply, { action: 'read', query: ReadQuery, body: ({ content }) => JSON.stringify(content.response) }),
  )
  handle(app, docs.deleteResponse(path), (request, reply) =>
    send(request, reply, { action: 'delete', query: {}, body: ({ id }) => ({ id, object: 'response', deleted: true }) }),
  )
  handle(app, docs.listInputItems(path), (request, reply) => {
    const page = request.query as ItemsPage
    return send(request, reply, {
      action: 'read',
      query: ItemsQuery,
      problemOf: problemOfPage(idOf(request), page),
      body: ({ id, content }) => pageOfItems(id, content, page),
    })
  })
}

const idOf = ({ params }: FastifyRequest): string => (params as { id: string }).id
