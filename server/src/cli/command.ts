import type { Environment } from '../config/environment.ts'

/** What a command gets from the process. */
export interface Terminal {
  readonly env: Environment
  /** The command's result, a line: standard output. */
  readonly out: (line: string) => void
  /** Everything else that a person may want to know: standard error. */
  readonly note: (line: string) => void
  /** A line that the next one takes the place of; absent where nobody watches. */
  readonly status?: ((line: string) => void) | undefined
}

/** The command has done its work and found something wrong, or cannot do it: exit code 1, and no stack trace. */
export class CommandProblem extends Error {}
