import { once } from 'node:events'
import type { FastifyReply } from 'fastify'

/** Pieces are joined up to this size before they are written: few system calls, and little in memory for a slow reader. */
const WRITE_BYTES = 16_384

/** Takes the answer over from Fastify and sends its head: server-sent events follow. */
export function startEvents(reply: FastifyReply): FastifyReply['raw'] {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  return raw
}

/**
 * Writes server-sent events as fast as the reader takes them. A reader that goes away ends the writing; the iterator is then
 * not asked further.
 */
export async function sendEvents(reply: FastifyReply, events: Iterable<string>): Promise<void> {
  const raw = startEvents(reply)
  let pending = ''
  for (const event of events) {
    pending += event
    if (pending.length < WRITE_BYTES) continue
    if (!raw.write(pending) && !(await drained(raw))) return
    pending = ''
  }
  raw.end(pending)
}

/** False when the reader has gone, or the answer has been ended meanwhile (http/drain.ts). */
async function drained(raw: FastifyReply['raw']): Promise<boolean> {
  if (raw.destroyed) return false
  const gone = new AbortController()
  const onClose = () => gone.abort()
  raw.once('close', onClose)
  try {
    await once(raw, 'drain', { signal: gone.signal })
    return !raw.writableEnded
  } catch {
    return false
  } finally {
    raw.off('close', onClose)
  }
}
