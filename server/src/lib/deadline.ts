/** What was awaited has not come in time. The code is the system's own for it, so that callers treat it like a lost connection. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly code = 'ETIMEDOUT'
}

/** Resolves or rejects with `work`, but after `ms` at the latest rejects with a DeadlineError. The work itself goes on. */
export async function withDeadline<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`${what} within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
