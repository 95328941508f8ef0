/** A timeout. It has the system's error code, so that callers treat it like a lost connection. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly code = 'ETIMEDOUT'
}

/**
 * Resolves or rejects with `work`, or rejects with a DeadlineError after `ms`. The work is not aborted. `problem` starts the error's message. A
 * result that has arrived by then counts, even if the process was too busy to read it: timers run before input is read.
 */
export async function withDeadline<T>(ms: number, work: Promise<T>, problem: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    const expire = () => reject(new DeadlineError(`${problem} within ${ms} ms`))
    timer = setTimeout(() => setImmediate(expire), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
