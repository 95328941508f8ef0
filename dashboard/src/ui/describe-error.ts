interface Described {
  readonly message: string
  readonly requestId: string | null
}

/** An error as it is shown to people. */
export function describeError(error: unknown): Described {
  if (!(error instanceof Error)) return { message: 'Something unexpected happened.', requestId: null }
  const { requestId } = error as { requestId?: string | null }
  return { message: error.message, requestId: requestId ?? null }
}
