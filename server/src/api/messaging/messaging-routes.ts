import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { avatarSvg } from '../../domains/messaging/people/avatar.ts'
import { Refusal } from '../../shared/refusal.ts'
import { accepted, invalid } from '../../shared/request-errors.ts'
import { authenticateRequests } from '../kit/authenticate-requests.ts'
import { readFormBodies } from '../kit/bodies.ts'
import { startEvents } from '../kit/event-stream.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { attachmentRoutes } from './attachment-routes.ts'
import { contactRoutes } from './contact-routes.ts'
import { conversationRoutes, retentionRoutes } from './conversation-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { operation } from './operation.ts'

const DESCRIPTION =
  'Server-sent events. `event:` is the type (`message.created` …), `data:` the object as the API shows it, `id:` its ' +
  'place in the log. `Last-Event-ID` or `after` resumes after that place, without loss or duplicate. The log holds ' +
  'seven days, without deleted objects. An `id:` without data only moves the place. `event: reset` means that the place is older ' +
  'than the log: read again all that you show.'

const eventDocs = {
  streamEvents: operation('GET /v1/events', 'streamEvents', {
    summary: "Stream the caller's events",
    description: DESCRIPTION,
    query: {
      after: Type.Optional(Type.Integer({ minimum: 0, description: 'Same as `Last-Event-ID`. The header takes precedence.' })),
    },
    answers: { 200: { description: 'The events.', content: { 'text/event-stream': { schema: Type.String() } } } },
  }),
}

function eventRoutes(app: TypedApp, { hub, members }: MessagingDeps): void {
  handle(app, eventDocs.streamEvents, async ({ member, query, method, headers }, reply) => {
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

const ROUTES: readonly ((app: TypedApp, deps: MessagingDeps) => void)[] = [
  contactRoutes,
  groupRoutes,
  conversationRoutes,
  messageRoutes,
  attachmentRoutes,
  retentionRoutes,
  eventRoutes,
]

export async function messagingRoutes(app: FastifyInstance, deps: MessagingDeps): Promise<void> {
  avatarRoutes(app)
  await app.register(async (scope) => {
    const { members, userRateLimiter, clock } = deps
    scope.decorateRequest('member')
    scope.decorateRequest('now')
    readFormBodies(scope, deps.jsonDepth)
    authenticateRequests(scope, async (request, isAgain) => {
      const { authorization } = request.headers
      request.member = accepted(await (isAgain ? members.authenticateAgain(authorization) : members.authenticate(authorization)))
    })
    scope.addHook('preValidation', async (request, reply) => {
      request.now = clock.now()
      const { requestKind = 'other' } = request.routeOptions.config
      reply.headers(accepted(await userRateLimiter.admit(request.member, requestKind)))
    })
    for (const addRoutes of ROUTES) addRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), deps)
  })
}

/** Default avatars. They need no token, because browsers send none for images and the picture depends only on the path. */
function avatarRoutes(app: FastifyInstance): void {
  const schema = {
    operationId: 'getAvatar',
    summary: 'Get the default avatar of a contact or group',
    tags: ['messaging'],
    response: { 200: { description: 'An SVG image.', content: { 'image/svg+xml': { schema: { type: 'string' } } } } },
  }
  app.get<{ Params: { name: string } }>('/v1/avatars/:name', { schema }, async (request, reply) =>
    reply
      .headers({
        'cache-control': 'public, max-age=86400, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      .type('image/svg+xml; charset=utf-8')
      .send(avatarSvg(request.params.name)),
  )
}
