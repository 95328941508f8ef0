import i18next from 'i18next'

/** No response: the network failed or the server is down. */
export class UnreachableError extends Error {
  constructor(cause?: unknown) {
    super(i18next.t('ui:error.unreachable'), { cause })
  }
}

/** `fetch` throws a TypeError if there is no response. Other errors, such as an abort, are passed on. */
export const toNetworkError = (error: unknown): Error => {
  if (error instanceof TypeError) return new UnreachableError(error)
  return error instanceof Error ? error : new Error(String(error))
}
