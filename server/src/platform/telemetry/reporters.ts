import type { Logger } from 'pino'
import { Unchangeable } from '../../shared/content-reading.ts'
import type { ReportFault } from '../../shared/fault.ts'
import { currentTrace } from '../lib/trace-context.ts'
import type { FinishedRequest, Tracing } from './finished-request.ts'
import type { Metrics } from './metrics.ts'

/** Counts faults and logs those of the program. A condition that fails is the policy author's fault and only counted. */
export const faultReporter =
  ({ metrics, log }: { metrics: Metrics; log: Logger }): ReportFault =>
  (fault) => {
    const { kind, name, how, error } = fault
    metrics.fault(fault)
    if (kind === 'condition') return
    // Unchangeable content is not a fault of the program: the request was denied as its policy demands.
    log[error instanceof Unchangeable ? 'warn' : 'error'](
      { kind, name, how, ...(how === 'threw' && { error: classOf(error), at: frameOf(error) }) },
      'content could not be governed, so the request was denied',
    )
  }

const classOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : typeof error)

/** The first stack frame. The message before it is never logged, because it may quote content. */
const frameOf = (error: unknown): string | undefined =>
  error instanceof Error ? /^ {4}at [^\n]{1,300}$/m.exec((error.stack ?? '').replace(error.message, ''))?.[0].trim() : undefined

/** Returns a function that records a finished request in metrics and traces, and logs its failure. */
export const requestObserver =
  ({ metrics, tracing, log }: { metrics: Metrics; tracing: Tracing; log: Logger }) =>
  (request: FinishedRequest): void => {
    metrics.observe(request)
    tracing.recordSpan(request, currentTrace())
    if (request.cause === undefined) return
    const { requestId: reqId, auditId: audit_id, endpoint, code } = request
    log.error({ reqId, audit_id, endpoint, code, err: request.cause }, 'request failed')
  }
