/** Resolves with `work`, or rejects with `reason()` when `signal` is aborted. The work is not stopped. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal, reason: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(reason())
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    work.then(resolve, reject).then(() => signal.removeEventListener('abort', onAbort))
  })
}
