import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * Logs JSON lines to standard output, each with the name of the node. The serialisers copy only the listed fields, so bodies, keys and
 * tokens never reach the log, even if a library attached its request to an error.
 */
export function createLogger(level: string, node: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { node },
    serializers: {
      req: (request: { method: string; url: string; id: string }) => ({
        method: request.method,
        path: request.url.split('?', 1)[0],
      }),
      res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
      err: describeError,
    },
  }
  return pino(options, destination ?? standardOutput())
}

/** A pipe takes up to 4,096 bytes as one piece, so that the lines of several processes do not mix. */
const PIPE_BYTES = 4_096
const FLUSH_MS = 250

/** Writes several lines at once, because a system call for each line costs more than the line. pino flushes at exit. */
function standardOutput(): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: false, minLength: PIPE_BYTES - 1, maxWrite: PIPE_BYTES })
  setInterval(() => destination.flush(), FLUSH_MS).unref()
  return destination
}

/** Type, code, stack frames and, if it cannot quote data, the message. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code } = error as { code?: unknown }
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return {
    type: error.name,
    ...(typeof code === 'string' && { code }),
    message: QUOTES_DATA.has(error.name) ? '(withheld)' : error.message,
    stack: frames?.slice(0, 12).join('\n'),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

/** Names of errors whose messages quote invalid data. */
const QUOTES_DATA = new Set(['SyntaxError', 'error', 'DatabaseError', 'YAMLParseError'])
