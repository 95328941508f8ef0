import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { GatehouseError } from '../../errors.ts'
import { invalid } from '../../shared/refusals.ts'
import { startEvents } from '../kit/event-stream.ts'
import { type Route, readRoute } from './route.ts'

const DESCRIPTION =
  'Server-sent events (MSG-EVENT-1). `event:` is the type (`message.created` …), `data:` the object as the API shows it, `id:` its ' +
  'place in the log. `Last-Event-ID` or `after` resumes after that place, without loss or duplicate (MSG-EVENT-2). The log holds ' +
  'seven days, without deleted objects. An `id:` without data only moves the place. `event: reset` means that the place is older ' +
  'than the log: read again all that you show (MSG-EVENT-3).'

const streamEventsRoute = readRoute({
  target: 'GET /v1/events',
  docs: {
    operationId: 'streamEvents',
    summary: "Stream the caller's events",
    description: DESCRIPTION,
    query: {
      after: Type.Optional(Type.Integer({ minimum: 0, description: 'Same as `Last-Event-ID`. The header takes precedence.' })),
    },
    answers: { 200: Type.String({ description: 'text/event-stream' }) },
  },
  handle: async ({ member, query, http }, { hub, members }, reply) => {
    const after = lastEventId(http) ?? query.after
    if (http.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send()
    const { authorization } = http.headers
    const streamRequest = { member, after, isAuthorized: () => isValid(members.authenticateAgain(authorization)) }
    await hub.open(reply.raw, streamRequest, () => startEvents(reply))
    return hijacked(reply)
  },
})

const closeStreams: Route = (app, { hub }) => void app.addHook('preClose', async () => hub.close())

export const eventRoutes: readonly Route[] = [closeStreams, streamEventsRoute]

/** A client that disconnected before the stream started gets no response. */
function hijacked(reply: FastifyReply): FastifyReply {
  if (!reply.sent) reply.hijack()
  return reply
}

/** Throws a 400 for an invalid event id. */
function lastEventId({ headers }: FastifyRequest): number | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  throw invalid({ param: 'Last-Event-ID', message: 'must be the id of an event' })
}

/** True also if the database is unavailable: a stream does not end because of that. */
async function isValid(authenticating: Promise<unknown>): Promise<boolean> {
  try {
    await authenticating
    return true
  } catch (error) {
    return !(error instanceof GatehouseError)
  }
}
