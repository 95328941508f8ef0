/** A value, or a promise if it has to be waited for. */
export type MaybePromise<T> = T | Promise<T>

/** Continues at once with a value, and with a promise when it is fulfilled: a chat that waits for nothing creates no promises. */
export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value)
