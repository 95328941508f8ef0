import type { Environment } from '../../platform/config/environment.ts'

/** Environment and output streams of a command. */
export interface Terminal {
  readonly env: Environment
  /** Reads the environment and its file again. Absent: it cannot change. */
  readonly readEnv?: () => Environment
  /** Prints a line of the result to standard output. */
  readonly out: (line: string) => void
  /** Prints a line of additional information to standard error. */
  readonly note: (line: string) => void
  /** Prints a line that the next status line overwrites. Absent if standard error is not a terminal. */
  readonly status?: ((line: string) => void) | undefined
}

/** The command failed or found a fault: exit code 1, and a message without a stack trace. */
export class CommandFailure extends Error {}

/** The command ends with this exit code; the reason is already printed. */
export class CommandExit extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exit code ${code}`)
    this.code = code
  }
}
