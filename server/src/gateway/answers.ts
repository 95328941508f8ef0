import type { FastifyReply } from 'fastify'
import { sendError } from '../http/error-replies.ts'
import { sendEvents } from '../http/event-stream.ts'
import { elapsed } from '../lib/clock.ts'
import { ownerOf } from '../pipeline/facts.ts'
import { type PipelineDeps, runPipeline } from '../pipeline/pipeline.ts'
import type { PipelineResult } from '../pipeline/pipeline-result.ts'
import type { Exchange } from '../pipeline/request.ts'
import { decidedInTime } from '../pipeline/resubmission.ts'
import { chatChunks } from './chat-chunks.ts'
import { readableFor } from './cors.ts'
import { governanceOf } from './governance.ts'

type Parse = Exchange['parse']

/** Aborted when the caller hangs up before the answer. */
export function closed({ raw }: FastifyReply): AbortSignal {
  if (raw.destroyed) return AbortSignal.abort()
  const controller = new AbortController()
  raw.once('close', () => controller.abort())
  return controller.signal
}

/**
 * “The first request itself waits” (decisions.md §2.5): the hold is opened and recorded first, so that reviewers see it; once
 * it is decided the same request goes through the pipeline again, as the resubmission that it is. So does an approved request
 * whose answer is held in turn, with the time that is left. While it waits it takes nobody's place; where none comes free again
 * in time, it stays a 409, and the decision stands.
 */
export async function chatInTime(exchange: Exchange, deps: PipelineDeps): Promise<PipelineResult> {
  const sinceMs = elapsed()
  let result = await runPipeline(exchange, deps)
  const waitSeconds = result.trail.facts.admit?.request.waitSeconds ?? 0
  for (;;) {
    const { held } = result
    const { authenticate, admit } = result.trail.facts
    if (waitSeconds === 0 || !held || !authenticate || !admit) return result
    const wait = { waitSeconds, sinceMs, callerGone: exchange.callerGone() }
    if (!(await decidedInTime(ownerOf(authenticate), held.itemId, wait, deps))) return result
    const parse: Parse = (body, application) => {
      const parsed = exchange.parse(body, application)
      return parsed.ok ? { ok: true, request: { ...parsed.request, reviewItemId: held.itemId, waitSeconds: 0 } } : parsed
    }
    const lease = await deps.limiter.resume(authenticate.application, admit.tokens)
    if (!lease) return result
    try {
      result = await runPipeline({ ...exchange, parse, continues: lease }, deps)
    } finally {
      // The pipeline has released it, unless the key was revoked meanwhile.
      lease.release(0)
    }
  }
}

/** The endpoint's body, or the refusal. */
export function answer(reply: FastifyReply, result: PipelineResult, body: () => unknown): FastifyReply {
  const sent = head(reply, result)
  return result.error ? sendError(reply, result.error.code, result.error.fields) : sent.send(body())
}

/** A chat's answer as JSON or as a stream, whichever was asked for. */
export function answerChat(reply: FastifyReply, result: PipelineResult): FastifyReply | Promise<void> {
  const { error, completionJson, trail } = result
  const completion = trail.facts.inspect?.completion
  if (error || !completion || completionJson === undefined) return answer(reply, result, () => undefined)
  const governance = JSON.stringify(governanceOf(result))
  head(reply, result)
  const request = trail.facts.admit?.request
  if (request?.stream) return sendEvents(reply, chatChunks(completion, { includeUsage: request.includeUsage, governance }))
  return reply.type('application/json; charset=utf-8').send(`${completionJson.slice(0, -1)},"governance":${governance}}`)
}

const head = (reply: FastifyReply, { auditId, trail }: PipelineResult): FastifyReply => {
  if (trail.facts.authenticate) readableFor(reply, trail.facts.authenticate.application)
  if (auditId !== undefined) reply.header('x-audit-id', auditId)
  return reply.headers(trail.facts.admit?.lease.headers ?? {})
}
