import type { Environment } from '../config/environment.ts'

/** Environment and output streams of a command. */
export interface Terminal {
  readonly env: Environment
  /** Prints a line of the result to standard output. */
  readonly out: (line: string) => void
  /** Prints a line of additional information to standard error. */
  readonly note: (line: string) => void
  /** Prints a line that the next status line overwrites. Absent if standard error is not a terminal. */
  readonly status?: ((line: string) => void) | undefined
}

/** The command failed or found a fault: exit code 1, and a message without a stack trace. */
export class CommandFailure extends Error {}
