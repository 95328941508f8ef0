import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * JSON lines on standard output. Request and error serialisers name what they let through: bodies, keys and tokens never
 * appear, also not inside an error that a library decorated with its request.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
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

const BUFFER_BYTES = 8_192
const FLUSH_MS = 250

/** Written in the background and in pieces: a system call for every line would cost more than the line. pino flushes at exit. */
function standardOutput(): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES })
  setInterval(() => destination.flush(), FLUSH_MS).unref()
  return destination
}

/** Type, code and stack frames; of the message only what our own code wrote. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code } = error as { code?: unknown }
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return {
    type: error.name,
    ...(typeof code === 'string' && { code }),
    message: SPEAKS_OF_DATA.has(error.name) ? '(withheld)' : error.message,
    stack: frames?.slice(0, 12).join('\n'),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

/** Errors whose messages quote what they choked on. */
const SPEAKS_OF_DATA = new Set(['SyntaxError', 'error', 'DatabaseError', 'YAMLParseError'])
