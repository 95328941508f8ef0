/**
 * Codes of node and PostgreSQL that say: the database is not there now, or does not get to it (a statement, a lock or a transaction
 * took too long; it has become read-only). It may be back in a moment.
 */
const UNAVAILABLE =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|08\w{3}|57014|57P0[1-5]|53\w{3}|55P03|25P0[34]|25006|58030)$/

/** True for a fault that is no mistake in the request nor in the program: 503, try again. */
export function isUnavailable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const { code, severity } = cause as { code?: unknown; severity?: unknown }
  if (typeof code === 'string' && UNAVAILABLE.test(code)) return true
  // PostgreSQL ended the session, or did not begin one: whatever the reason, it says nothing about the statement.
  if (severity === 'FATAL' || severity === 'PANIC') return true
  // A migration has just passed under a connection's prepared statement; the next one is planned anew.
  if (/cached plan must not change result type/.test(cause.message)) return true
  return (
    /connection terminated|not queryable|query read timeout|timeout expired|timeout exceeded when trying to connect|cannot use a pool after/i.test(
      cause.message,
    ) || isUnavailable(cause.cause)
  )
}
