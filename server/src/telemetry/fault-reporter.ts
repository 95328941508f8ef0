import type { Logger } from 'pino'
import { Unchangeable } from '../domain/content-reading.ts'
import type { ReportFault } from '../domain/fault.ts'
import type { Metrics } from './metrics.ts'

/** Counts faults, and logs those that are a mistake in the program: a broken condition is the author's, and counted only. */
export const faultReporter =
  ({ metrics, log }: { metrics: Metrics; log: Logger }): ReportFault =>
  (fault) => {
    const { kind, name, how, error } = fault
    metrics.fault(fault)
    if (kind === 'condition') return
    // What a content cannot have done to it is no mistake in the program: the request was denied as its policy says.
    log[error instanceof Unchangeable ? 'warn' : 'error'](
      { kind, name, how, ...(how === 'threw' && { error: classOf(error), at: placeOf(error) }) },
      'a content was not judged',
    )
  }

const classOf = (error: unknown): string => (error instanceof Error ? error.constructor.name : typeof error)

/** Where it was thrown. The stack begins with the message, which may quote content: only the lines that name a place are read. */
const placeOf = (error: unknown): string | undefined =>
  error instanceof Error ? /^ {4}at [^\n]{1,300}$/m.exec(withoutMessage(error))?.[0].trim() : undefined

const withoutMessage = ({ stack = '', message }: Error): string => stack.replace(message, '')
