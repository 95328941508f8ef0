import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { Refusal } from '../../shared/refusal.ts'
import { accepted, invalid } from '../../shared/request-errors.ts'
import { startEvents } from '../kit/event-stream.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { operation } from './operation.ts'

const DESCRIPTION =
  'Server-sent events (MSG-EVENT-1). `event:` is the type (`message.created` …), `data:` the object as the API shows it, `id:` its ' +
  'place in the log. `Last-Event-ID` or `after` resumes after that place, without loss or duplicate (MSG-EVENT-2). The log holds ' +
  'seven days, without deleted objects. An `id:` without data only moves the place. `event: reset` means that the place is older ' +
  'than the log: read again all that you show (MSG-EVENT-3).'

const docs = {
  streamEvents: operation('GET /v1/events', 'streamEvents', {
    summary: "Stream the caller's events",
    description: DESCRIPTION,
    query: {
      after: Type.Optional(Type.Integer({ minimum: 0, description: 'Same as `Last-Event-ID`. The header takes precedence.' })),
    },
    answers: { 200: Type.String({ description: 'text/event-stream' }) },
  }),
}

export function eventRoutes(app: TypedApp, { hub, members }: MessagingDeps): void {
  handle(app, docs.streamEvents, async ({ member, query, method, headers }, reply) => {
    const after = lastEventId(headers) ?? query.after
    if (method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send()
    const isAuthorized = () => isValid(members.authenticateAgain(headers.authorization))
    accepted(await hub.open(reply.raw, { member, after, isAuthorized }, () => startEvents(reply)))
    // A client that disconnected before the stream started gets no response.
    return reply.sent ? reply : reply.hijack()
  })
  app.addHook('preClose', async () => hub.close())
}

function lastEventId(headers: FastifyRequest['headers']): number | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id)
  throw invalid({ param: 'Last-Event-ID', message: 'must be the id of an event' })
}

/** True also if the database is unavailable: a stream does not end because of that. */
const isValid = (authenticating: Promise<unknown>): Promise<boolean> =>
  authenticating.then(
    (member) => !(member instanceof Refusal),
    () => true,
  )
