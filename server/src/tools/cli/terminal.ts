import { ConfigError, type Environment } from '../../platform/config/environment.ts'

export interface Terminal {
  readonly env: Environment
  /** Reads the environment and its file again. Absent: it cannot change. */
  readonly readEnv?: () => Environment
  readonly out: (line: string) => void
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

/** Causes of error codes of the database driver and the operating system, with the remedy. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no database server listens at this address: check DATABASE_URL',
  ENOTFOUND: 'the host name of the database is unknown: check DATABASE_URL',
  ETIMEDOUT: 'the database does not respond: check DATABASE_URL',
  '28P01': 'the database refuses the password: check DATABASE_URL',
  '28000': 'the database refuses the user: check DATABASE_URL',
  '3D000': 'the database does not exist: create it, or check DATABASE_URL',
  EACCES: 'the operating system denies access: check the permissions',
  ENOSPC: 'the disk is full: free some space',
}

export function explainError(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CommandFailure) return error.message
  const { code, message } = error as { code?: unknown; message?: unknown }
  const cause = typeof code === 'string' ? CAUSES[code] : undefined
  const text = typeof message === 'string' && message !== '' ? message : String(code ?? error)
  return cause === undefined ? text : `${cause} (${text})`
}

/** Prints rows as aligned columns. No cell is empty or contains a tab, so that `cut` and `awk` can read the lines. */
export function printTable({ out }: Terminal, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('\t', ' ') || '-'))
  const widths = head.map((_, column) => cells.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0))
  for (const row of cells) {
    const padded = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    out(padded.join('  ').trimEnd())
  }
}

/** ISO 8601 in UTC, with seconds; an empty text for null. */
export const formatTime = (date: Date | null): string => date?.toISOString().replace(/\.\d+Z$/, 'Z') ?? ''
