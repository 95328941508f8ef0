import { errorLabel } from './health-badge.tsx'

interface Attempt {
  readonly provider: string
  readonly outcome: string
}

/** `stubbed`: the built-in provider. */
const SUCCESSES = ['ok', 'stubbed']

/** The providers of all attempts, in their order, with the failures: "openai (timeout), anthropic". */
export const attemptsIn = (attempts: readonly Attempt[]): string =>
  attempts
    .map(({ provider, outcome }) =>
      SUCCESSES.includes(outcome) ? provider : `${provider} (${errorLabel(outcome).toLowerCase()})`,
    )
    .join(', ')
