/**
 * Runs `work` and then disposes of the resources on the stack, the last one first, also after an error. Replaces `await using`, which
 * some tools cannot parse yet.
 */
export async function scoped<T>(work: (stack: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const stack = new AsyncDisposableStack()
  try {
    return await work(stack)
  } finally {
    await stack.disposeAsync()
  }
}
