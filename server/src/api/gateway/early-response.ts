import type { FastifyReply } from 'fastify'
import type { GrowingEncoder, ResponseEncoder } from '../../dialects/client-dialect.ts'
import type { ErrorCode, ErrorFields } from '../../errors.ts'
import { governanceOf } from '../../pipeline/governance-block.ts'
import type { PipelineResult } from '../../pipeline/pipeline-result.ts'
import type { EarlyHead, EarlyText } from '../../pipeline/request.ts'
import { errorBodyOf } from '../kit/error-responses.ts'
import { finishEvents, startEvents } from '../kit/event-stream.ts'
import { narrowOrigins } from './cors.ts'

/** A streamed response that begins before the verdict (decision 0025). It has no headers of the decision, which is not known yet. */
export class EarlyResponse implements EarlyText {
  sent = ''
  readonly #reply: FastifyReply
  readonly #encoderOf: () => ResponseEncoder | undefined
  #stream: GrowingEncoder | undefined

  /** `encoderOf`: the encoder of the request, once it is decoded. */
  constructor(reply: FastifyReply, encoderOf: () => ResponseEncoder | undefined) {
    this.#reply = reply
    this.#encoderOf = encoderOf
  }

  get hasBegun(): boolean {
    return this.#stream !== undefined
  }

  send(piece: string, head: EarlyHead): boolean {
    const { raw } = this.#reply
    // The text waits in the watch, not in the socket's buffer, for a client that reads slowly.
    if (raw.destroyed || raw.writableEnded || raw.writableNeedDrain) return false
    this.#stream ??= this.#begin(head)
    if (!this.#stream) return false
    raw.write(this.#stream.text(piece))
    this.sent += piece
    return true
  }

  whenReady(run: () => void): void {
    this.#reply.raw.once('drain', run)
  }

  async finish(result: PipelineResult): Promise<void> {
    const { error, trace } = result
    const completion = trace.results.inspect?.completion
    const events =
      error || !completion
        ? [this.#errorEvent(error?.code ?? 'INTERNAL', error?.fields ?? {})]
        : (this.#stream?.rest(completion, governanceOf(result)) ?? [])
    await this.#end(events)
  }

  /** Ends the response after a failure of the pipeline itself. Throws `cause` if nothing was sent. */
  async fail(cause: unknown): Promise<undefined> {
    if (!this.#stream) throw cause
    this.#reply.request.log.error({ err: cause }, 'request failed')
    await this.#end([this.#errorEvent('INTERNAL', {})])
  }

  #begin({ completion, application, admitted: { auditId, lease } }: EarlyHead): GrowingEncoder | undefined {
    const stream = this.#encoderOf()?.grow(completion, { audit_id: auditId })
    if (!stream) return undefined
    this.#reply.errorEvent = (envelope) => stream.fail(envelope)
    narrowOrigins(this.#reply, application)
    this.#reply.headers({ 'x-audit-id': auditId, 'x-gatehouse-release': 'windowed', ...lease.headers })
    startEvents(this.#reply)
    return stream
  }

  #errorEvent(code: ErrorCode, fields: ErrorFields): string {
    this.#reply.errorCode = code
    return this.#stream?.fail(errorBodyOf(this.#reply, code, fields)) ?? ''
  }

  async #end(events: Iterable<string>): Promise<void> {
    const { raw } = this.#reply
    if (!raw.destroyed && !raw.writableEnded) await finishEvents(raw, events)
  }
}
