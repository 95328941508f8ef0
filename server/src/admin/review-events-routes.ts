import type { ServerResponse } from 'node:http'
import { type TSchema, Type } from 'typebox'
import { startEvents } from '../http/event-stream.ts'
import { REVIEWS_TOPIC } from '../review/review.ts'
import { reviewJson } from '../review/review-json.ts'
import { getReview } from '../review/review-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { inWorkspace } from './operation.ts'

/** A stream ends after this long, and its reader comes back: so who may no longer read it is found out. */
const LIFETIME_MS = 60_000
const RETRY_MS = 500
/** A connection on which nothing is written for long is taken for a stalled one (http/stalled-readers.ts), by proxies too. */
const HEARTBEAT_MS = 10_000
/** What may wait in memory for one reader; who falls further behind begins anew. */
const MAX_WAITING_BYTES = 1_048_576

const Events = {
  description: '`event: review` with a review item, without content, whenever one changed; `event: reset`: read the queue anew.',
  content: { 'text/event-stream': { schema: Type.String() } },
} as TSchema

const docs = inWorkspace('streamReviews', 'Review items as they come and change', {
  scope: 'reviews:read',
  description:
    'Server-sent events. The stream ends after a minute, and clients come back; `reset` is its first event, since what happened meanwhile is not repeated.',
  query: {},
  answers: { 200: Events },
})

/** The review queue, live. */
export function reviewEventsRoutes(app: AdminApp, { db, clock, signal }: AdminDeps): void {
  const open = new Set<ServerResponse>()
  app.addHook('preClose', async () => {
    for (const response of open) response.end()
  })

  app.get('/reviews/events', { schema: docs }, async ({ method, workspaceId, log }, reply) => {
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
    const unsubscribe = signal.subscribe(REVIEWS_TOPIC, (id) => {
      tell(id).catch((err: unknown) => {
        log.error({ err }, 'a review item could not be read for those who watch the queue')
        response.end()
      })
    })
    const heart = setInterval(() => response.write(': heartbeat\n\n'), HEARTBEAT_MS)
    const timer = setTimeout(() => response.end(), LIFETIME_MS)
    open.add(response)
    response.once('close', () => {
      unsubscribe()
      clearInterval(heart)
      clearTimeout(timer)
      open.delete(response)
    })
    response.write(`retry: ${RETRY_MS}\n\n`)
    write('reset', {})
    return reply
  })
}
