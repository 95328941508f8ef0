import type { ServerResponse } from 'node:http'
import { type TSchema, Type } from 'typebox'
import { ADMIN_TOKENS_TOPIC } from '../../../domains/operators/admin-authenticator.ts'
import { REVIEWS_TOPIC } from '../../../domains/review/review.ts'
import { getReview } from '../../../domains/review/review-store.ts'
import { GatehouseError } from '../../../errors.ts'
import { scopesIn } from '../../../shared/access.ts'
import { OPERATORS_TOPIC } from '../../../shared/operator.ts'
import { startEvents } from '../../kit/event-stream.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { operatorOf } from '../kit/operator-access.ts'
import { reviewView } from './review-shapes.ts'

/** Streams end after this time and clients reconnect, so that expired sessions are noticed. */
const LIFETIME_MS = 60_000
const RETRY_MS = 500
/** Interval of keep-alive comments: proxies and api/kit/connections.ts close silent connections. */
const HEARTBEAT_MS = 10_000
/** Maximum number of buffered bytes for a client. A slower client must reconnect. */
const MAX_BUFFERED_BYTES = 1_048_576

const SCOPE = 'reviews:read'

const Events = {
  description: '`event: review`: a new or changed review item, without content. `event: reset`: read the queue again.',
  content: { 'text/event-stream': { schema: Type.String() } },
} as TSchema

const docs = inWorkspace('GET /reviews/events', 'streamReviews', 'Stream new and changed review items', {
  scope: SCOPE,
  description:
    'Server-sent events. The stream ends after a minute, and clients reconnect. It ends immediately when the operator loses the scope. The first event is `reset`, because missed events are not repeated.',
  answers: { 200: Events },
})

export function reviewEventsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, clock, signal } = deps
  const open = new Set<ServerResponse>()
  app.addHook('preClose', async () => {
    for (const response of open) response.end()
  })

  handle(app, docs, async ({ method, headers, workspaceId, log }, reply) => {
    if (method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send()
    const response = startEvents(reply)
    const write = (event: string, data: object): void => {
      if (response.destroyed || response.writableEnded) return
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy()
    }
    const sendChange = async (id: string | undefined): Promise<void> => {
      const item = id === undefined ? undefined : await getReview(db, workspaceId, id, clock.now())
      if (item) write('review', reviewView(item))
      else if (id === undefined) write('reset', {})
    }
    const endWithoutScope = async (): Promise<void> => {
      const { access } = await operatorOf(headers, deps)
      if (!scopesIn(access, workspaceId).includes(SCOPE)) response.end()
    }
    const listen = (topic: string, listener: (key: string | undefined) => Promise<void>) =>
      signal.subscribe(topic, (key) => {
        listener(key).catch((err: unknown) => {
          if (!(err instanceof GatehouseError)) log.error({ err }, 'a review event could not be sent: its stream is closed')
          response.end()
        })
      })
    const subscriptions = [
      listen(REVIEWS_TOPIC, sendChange),
      listen(OPERATORS_TOPIC, endWithoutScope),
      listen(ADMIN_TOKENS_TOPIC, endWithoutScope),
    ]
    const heartbeat = setInterval(() => response.write(': heartbeat\n\n'), HEARTBEAT_MS)
    const timer = setTimeout(() => response.end(), LIFETIME_MS)
    open.add(response)
    response.once('close', () => {
      for (const unsubscribe of subscriptions) unsubscribe()
      clearInterval(heartbeat)
      clearTimeout(timer)
      open.delete(response)
    })
    response.write(`retry: ${RETRY_MS}\n\n`)
    write('reset', {})
    return reply
  })
}
