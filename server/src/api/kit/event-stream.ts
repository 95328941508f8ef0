import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/** Events are written in chunks of this size: few system calls, and little memory for a slow client. */
const WRITE_BYTES = 65_536

/** Takes the response over from Fastify and sends the headers of a server-sent event stream. */
export function startEvents(reply: FastifyReply): FastifyReply['raw'] {
  reply.hijack()
  const { raw } = reply
  reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  return raw
}

export const sendEvents = (reply: FastifyReply, events: Iterable<string>): Promise<void> =>
  finishEvents(startEvents(reply), events)

/** Writes the last events of a stream as fast as the client reads them. Stops reading `events` when the client disconnects. */
export async function finishEvents(raw: FastifyReply['raw'], events: Iterable<string>): Promise<void> {
  let pending = ''
  for (const event of events) {
    pending += event
    if (pending.length < WRITE_BYTES) continue
    if (!raw.write(pending) && !(await drained(raw))) return
    // A fast client drains the connection at once: without this, a long stream would hold the event loop to its end.
    await setImmediate()
    if (raw.writableEnded) return
    pending = ''
  }
  raw.end(pending)
}

/** False when the client has disconnected, or the response has been ended (api/kit/drain.ts). */
async function drained(raw: FastifyReply['raw']): Promise<boolean> {
  if (raw.destroyed) return false
  const closed = new AbortController()
  const onClose = () => closed.abort()
  raw.once('close', onClose)
  try {
    await once(raw, 'drain', { signal: closed.signal })
    return !raw.writableEnded
  } catch {
    return false
  } finally {
    raw.off('close', onClose)
  }
}
