import type { FastifyInstance } from 'fastify'
import { runInTrace, traceContext } from '../lib/trace-context.ts'

/** Runs each request in the trace that its caller names. After the body was read: reading it would lose the context. */
export function traceRequests(app: FastifyInstance, recording: boolean): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const context = traceContext(request.headers, recording)
    if (context === undefined) done()
    else runInTrace(context, done)
  })
}
