import i18next from 'i18next'

/** Minimum length that the server accepts. */
export const MIN_PASSWORD = 12

export const validatePassword = (password: string): string | null =>
  password.length < MIN_PASSWORD ? i18next.t('ui:password', { length: MIN_PASSWORD }) : null
