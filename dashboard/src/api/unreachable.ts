/** No answer came: the network failed, or there is no server. */
export class Unreachable extends Error {
  constructor(cause?: unknown) {
    super('The server cannot be reached.', { cause })
  }
}

/** What `fetch` throws: a TypeError when no answer came; anything else, as being told to stop, is passed on. */
export const asUnreachable = (error: unknown): Error => {
  if (error instanceof TypeError) return new Unreachable(error)
  return error instanceof Error ? error : new Error(String(error))
}
