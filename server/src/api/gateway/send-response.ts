import type { FastifyReply } from 'fastify'
import type { ResponseEncoder } from '../../dialects/client-dialect.ts'
import { governanceOf } from '../../pipeline/governance-block.ts'
import type { PipelineResult } from '../../pipeline/pipeline-result.ts'
import { sendError } from '../kit/error-responses.ts'
import { sendEvents } from '../kit/event-stream.ts'
import { narrowOrigins } from './cors.ts'
import { governanceHeaders } from './governance-headers.ts'

/** Created once, because `abort()` would take 10 µs to create an exception. */
const CLOSED = new Error('The response has ended, or the client closed the connection.')

export function abortOnClose({ raw }: FastifyReply): AbortSignal {
  if (raw.destroyed) return AbortSignal.abort()
  const controller = new AbortController()
  // Also after a complete response: a request that the server's stop has answered may still call its provider.
  raw.once('close', () => controller.abort(CLOSED))
  return controller.signal
}

/** Sends the endpoint's body, or the error. `body`: an object, of which the fields of the route's schema are sent, or JSON. */
export function sendResult(reply: FastifyReply, result: PipelineResult, body: () => unknown): FastifyReply {
  setHeaders(reply, result)
  if (result.error) return sendError(reply, result.error.code, result.error.fields)
  const sent = body()
  return typeof sent === 'string' ? sendJson(reply, sent) : reply.send(sent)
}

const sendJson = (reply: FastifyReply, json: string): FastifyReply => reply.type('application/json; charset=utf-8').send(json)

/** Sends a chat's completion as JSON or as a stream, as requested. `encoder`: undefined if the request was not decoded. */
export function sendChatResult(
  reply: FastifyReply,
  result: PipelineResult,
  encoder: ResponseEncoder | undefined,
): FastifyReply | Promise<void> {
  const { error, completionJson, trace } = result
  const completion = trace.results.inspect?.completion
  if (error || !completion || completionJson === undefined || !encoder) return sendResult(reply, result, () => undefined)
  const governance = setHeaders(reply, result)
  if (trace.results.admit?.request.stream) {
    reply.errorEvent = (envelope) => encoder.grow(completion, governance).fail(envelope)
    return sendEvents(reply, encoder.toEvents(completion, governance))
  }
  return sendJson(reply, encoder.toJson(completion, completionJson, governance))
}

export function sendEmbeddings(reply: FastifyReply, result: PipelineResult): FastifyReply {
  const { error, completionJson } = result
  if (error || completionJson === undefined) return sendResult(reply, result, () => undefined)
  const governance = JSON.stringify(setHeaders(reply, result))
  return sendJson(reply, `${completionJson.slice(0, -1)},"governance":${governance}}`)
}

/** Returns the governance block, of which some headers are a part. */
function setHeaders(reply: FastifyReply, result: PipelineResult): ReturnType<typeof governanceOf> {
  const { auditId, trace } = result
  if (trace.results.authenticate) narrowOrigins(reply, trace.results.authenticate.application)
  if (auditId !== undefined) reply.header('x-audit-id', auditId)
  reply.headers(trace.results.admit?.lease.headers ?? {})
  const governance = governanceOf(result)
  reply.headers(governanceHeaders(governance, result))
  return governance
}
