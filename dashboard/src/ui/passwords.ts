/** As short as the server takes one. */
export const MIN_PASSWORD = 12

export const passwordProblem = (password: string): string | null =>
  password.length < MIN_PASSWORD ? `At least ${MIN_PASSWORD} characters` : null
