import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { GatehouseError } from '../../errors.ts'
import { startEvents } from '../../http/event-stream.ts'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { invalid } from '../door/refusals.ts'
import { readRoute } from '../door/route.ts'

const DESCRIPTION =
  'Server-sent events: `event:` is the type (`message.created` …), `data:` the object as the API shows it, `id:` its place in ' +
  'the log. `Last-Event-ID` or `after` resumes after that place, without loss or duplicate; the log reaches back seven days, and ' +
  'what has been deleted is no longer in it. An `id:` without data moves that place on. `event: reset`: the log does not reach ' +
  'back that far; read anew what you show.'

/** `GET /v1/events`: what happens, as it happens. */
export function eventRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  app.addHook('preClose', async () => deps.hub.close())

  readRoute(app, deps, {
    method: 'GET',
    path: '/v1/events',
    docs: {
      operationId: 'streamEvents',
      summary: "The caller's events, as a stream",
      description: DESCRIPTION,
      query: { after: Type.Optional(Type.Integer({ minimum: 0, description: 'As Last-Event-ID, which wins.' })) },
      answers: { 200: Type.String({ description: 'text/event-stream' }) },
    },
    handle: async ({ member, query, request }, { hub, members }, reply) => {
      const after = lastEventId(request) ?? query.after
      if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send()
      const { authorization } = request.headers
      const opening = { member, after, mayStay: () => isValid(members.authenticateAgain(authorization)) }
      await hub.open(reply.raw, opening, () => startEvents(reply))
      return hijacked(reply)
    },
  })
}

/** A reader that went away before its stream began is answered by nobody. */
function hijacked(reply: FastifyReply): FastifyReply {
  if (!reply.sent) reply.hijack()
  return reply
}

/** Throws a 400 for what no event has had as its id. */
function lastEventId({ headers }: FastifyRequest): number | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  throw invalid({ param: 'Last-Event-ID', message: 'must be the id of an event' })
}

/** A database that does not answer is no reason to end a stream. */
async function isValid(authenticating: Promise<unknown>): Promise<boolean> {
  try {
    await authenticating
    return true
  } catch (error) {
    return !(error instanceof GatehouseError)
  }
}
