/** Message and request id of an error. */
export function describeError(error: unknown): { readonly message: string; readonly requestId: string | null } {
  if (!(error instanceof Error)) return { message: 'Unexpected error. Try again.', requestId: null }
  const { requestId } = error as { requestId?: string | null }
  return { message: error.message, requestId: requestId ?? null }
}
