/** Minimum length that the server accepts. */
export const MIN_PASSWORD = 12

export const validatePassword = (password: string): string | null =>
  password.length < MIN_PASSWORD ? `At least ${MIN_PASSWORD} characters` : null
