import { ConfigError } from '../config/environment.ts'
import { CommandProblem } from './command.ts'

/** What is behind codes that drivers and the system use, and what to do. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address of the database: check DATABASE_URL',
  ENOTFOUND: 'the host of the database is not known: check DATABASE_URL',
  ETIMEDOUT: 'the database does not answer: check DATABASE_URL',
  '28P01': 'the database refuses the password: check DATABASE_URL',
  '28000': 'the database refuses the user: check DATABASE_URL',
  '3D000': 'there is no such database: create it, or check DATABASE_URL',
  EACCES: 'the system does not permit it',
  ENOSPC: 'the disk is full',
}

/** One line or a few for whoever typed the command; never a stack trace. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CommandProblem) return error.message
  const { code, message } = error as { code?: unknown; message?: unknown }
  const cause = typeof code === 'string' ? CAUSES[code] : undefined
  const text = typeof message === 'string' && message !== '' ? message : String(code ?? error)
  return cause === undefined ? text : `${cause} (${text})`
}
