import { ConfigError } from '../../platform/config/environment.ts'
import { CommandFailure } from './terminal.ts'

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

/** Describes an error for the user of the command, in one or a few lines without a stack trace. */
export function explainError(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CommandFailure) return error.message
  const { code, message } = error as { code?: unknown; message?: unknown }
  const cause = typeof code === 'string' ? CAUSES[code] : undefined
  const text = typeof message === 'string' && message !== '' ? message : String(code ?? error)
  return cause === undefined ? text : `${cause} (${text})`
}
