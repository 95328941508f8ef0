import i18next from 'i18next'

export function describeError(error: unknown): { readonly message: string; readonly requestId: string | null } {
  if (!(error instanceof Error)) return { message: i18next.t('ui:error.unexpected'), requestId: null }
  const { requestId } = error as { requestId?: string | null }
  return { message: error.message, requestId: requestId ?? null }
}
