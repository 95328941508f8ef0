/**
 * Runs `work`, and ends whatever it has put on the stack, last first, however it went. What `await using` does, which not
 * all of our tools can read yet.
 */
export async function scoped<T>(work: (stack: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const stack = new AsyncDisposableStack()
  try {
    return await work(stack)
  } finally {
    await stack.disposeAsync()
  }
}
