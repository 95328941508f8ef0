/** A timeout. It has the system's error code, so that callers treat it like a lost connection. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  readonly code = 'ETIMEDOUT'
}

/** Resolves or rejects with `work`, or rejects with a DeadlineError after `ms`. The work is not aborted. `problem` starts the error's message. */
export async function withDeadline<T>(ms: number, work: Promise<T>, problem: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`${problem} within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
