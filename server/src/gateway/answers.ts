import type { FastifyReply } from 'fastify'
import { sendError } from '../http/error-responses.ts'
import { sendEvents } from '../http/event-stream.ts'
import type { PipelineResult } from '../pipeline/pipeline-result.ts'
import { chatChunks } from './chat-chunks.ts'
import { readableFor } from './cors.ts'
import { governanceOf } from './governance.ts'

/** Made once, because the exception that `abort()` makes by itself takes 10 µs. */
const CALLER_GONE = new Error('The caller closed the connection.')

/** A signal that is aborted when the client closes the connection before the response. */
export function closed({ raw }: FastifyReply): AbortSignal {
  if (raw.destroyed) return AbortSignal.abort()
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(CALLER_GONE)
  })
  return controller.signal
}

/** Sends the endpoint's body, or the error. */
export function answer(reply: FastifyReply, result: PipelineResult, body: () => unknown): FastifyReply {
  const sent = head(reply, result)
  return result.error ? sendError(reply, result.error.code, result.error.fields) : sent.send(body())
}

/** Sends a chat's completion as JSON or as a stream, as requested. */
export function answerChat(reply: FastifyReply, result: PipelineResult): FastifyReply | Promise<void> {
  const { error, completionJson, trace } = result
  const completion = trace.results.inspect?.completion
  if (error || !completion || completionJson === undefined) return answer(reply, result, () => undefined)
  const governance = JSON.stringify(governanceOf(result))
  head(reply, result)
  const request = trace.results.admit?.request
  if (request?.stream) return sendEvents(reply, chatChunks(completion, { includeUsage: request.includeUsage, governance }))
  return reply.type('application/json; charset=utf-8').send(`${completionJson.slice(0, -1)},"governance":${governance}}`)
}

const head = (reply: FastifyReply, { auditId, trace }: PipelineResult): FastifyReply => {
  if (trace.results.authenticate) readableFor(reply, trace.results.authenticate.application)
  if (auditId !== undefined) reply.header('x-audit-id', auditId)
  return reply.headers(trace.results.admit?.lease.headers ?? {})
}
