import type { ServerResponse } from 'node:http'
import { type TSchema, Type } from 'typebox'
import { ADMIN_TOKENS_TOPIC } from '../applications/admin-authenticator.ts'
import { OPERATORS_TOPIC } from '../domain/operator.ts'
import { GatehouseError } from '../errors.ts'
import { startEvents } from '../http/event-stream.ts'
import { REVIEWS_TOPIC } from '../review/review.ts'
import { reviewJson } from '../review/review-json.ts'
import { getReview } from '../review/review-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { inWorkspace } from './operation.ts'
import { operatorOf } from './operator-of.ts'

/** A stream ends after this long, and its reader comes back: so a session that has grown too old is found out. */
const LIFETIME_MS = 60_000
const RETRY_MS = 500
/** A connection on which nothing is written for long is taken for a stalled one (http/stalled-readers.ts), by proxies too. */
const HEARTBEAT_MS = 10_000
/** What may wait in memory for one reader; who falls further behind begins anew. */
const MAX_WAITING_BYTES = 1_048_576

const SCOPE = 'reviews:read'

const Events = {
  description: '`event: review` with a review item, without content, whenever one changed; `event: reset`: read the queue anew.',
  content: { 'text/event-stream': { schema: Type.String() } },
} as TSchema

const docs = inWorkspace('streamReviews', 'Review items as they come and change', {
  scope: SCOPE,
  description:
    'Server-sent events. The stream ends after a minute, and clients come back; it ends at once for who may no longer read it; `reset` is its first event, since what happened meanwhile is not repeated.',
  query: {},
  answers: { 200: Events },
})

/** The review queue, live. */
export function reviewEventsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, clock, signal } = deps
  const open = new Set<ServerResponse>()
  app.addHook('preClose', async () => {
    for (const response of open) response.end()
  })

  app.get('/reviews/events', { schema: docs }, async ({ method, headers, workspaceId, log }, reply) => {
    if (method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send()
    const response = startEvents(reply)
    const write = (event: string, data: object): void => {
      if (response.destroyed || response.writableEnded) return
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      if (response.writableLength > MAX_WAITING_BYTES) response.destroy()
    }
    const tell = async (id: string | undefined): Promise<void> => {
      const item = id === undefined ? undefined : await getReview(db, workspaceId, id, clock.now())
      if (item) write('review', reviewJson(item))
      else if (id === undefined) write('reset', {})
    }
    const endIfGone = async (): Promise<void> => {
      const { scopes } = await operatorOf(headers, deps)
      if (!scopes.includes(SCOPE)) response.end()
    }
    const listen = (topic: string, listener: (key: string | undefined) => Promise<void>) =>
      signal.subscribe(topic, (key) => {
        listener(key).catch((err: unknown) => {
          if (!(err instanceof GatehouseError)) log.error({ err }, 'those who watch the review queue could not be told')
          response.end()
        })
      })
    const subscriptions = [listen(REVIEWS_TOPIC, tell), listen(OPERATORS_TOPIC, endIfGone), listen(ADMIN_TOKENS_TOPIC, endIfGone)]
    const heart = setInterval(() => response.write(': heartbeat\n\n'), HEARTBEAT_MS)
    const timer = setTimeout(() => response.end(), LIFETIME_MS)
    open.add(response)
    response.once('close', () => {
      for (const unsubscribe of subscriptions) unsubscribe()
      clearInterval(heart)
      clearTimeout(timer)
      open.delete(response)
    })
    response.write(`retry: ${RETRY_MS}\n\n`)
    write('reset', {})
    return reply
  })
}
