import type { FastifyInstance } from 'fastify'
import { runInTrace, type Sample, traceContext } from '../lib/trace-context.ts'

/** Runs each request in the trace of its headers. Starts after the body was read, because reading it loses the context. */
export function traceRequests(app: FastifyInstance, sample: Sample | undefined): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const context = traceContext(request.headers, sample)
    if (context === undefined) done()
    else runInTrace(context, done)
  })
}
