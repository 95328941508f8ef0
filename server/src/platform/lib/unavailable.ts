/** Codes of Node and PostgreSQL for no connection, a timeout of a statement, lock or transaction, or a read-only database. */
const UNAVAILABLE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|08\w{3}|57014|57P0[1-5]|53\w{3}|55P03|25P0[34]|25006|58030)$/

/** Whether the error is temporary and caused by neither the request nor the program, so that the response is a 503. */
export function isUnavailable(cause: unknown): boolean {
  if (cause instanceof Unavailable) return true
  if (!(cause instanceof Error)) return false
  const { code, severity } = cause as { code?: unknown; severity?: unknown }
  if (typeof code === 'string' && UNAVAILABLE.test(code)) return true
  // PostgreSQL ended or refused the session, which is independent of the statement.
  if (severity === 'FATAL' || severity === 'PANIC') return true
  // A migration changed a table of a prepared statement. The next execution is planned again.
  if (/cached plan must not change result type/.test(cause.message)) return true
  return (
    /connection terminated|not queryable|query read timeout|timeout expired|timeout exceeded when trying to connect|cannot use a pool after/i.test(
      cause.message,
    ) || isUnavailable(cause.cause)
  )
}

/** A failure that is temporary: the response is a 503 with this message, or with the usual one if it is empty. */
export class Unavailable extends Error {}
