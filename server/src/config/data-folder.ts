import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { ConfigError } from './environment.ts'

const SECRET_FILES = ['secret.key', 'demo.json', 'admin-token', 'first-login.txt']

/**
 * Takes the data folder and the secrets in it away from other users of the machine: modes 0700 and 0600. Answers the paths whose mode
 * was wider. With DATABASE_URL only a folder that holds secrets counts. Throws a ConfigError if a mode cannot be changed.
 */
export function secureDataFolder({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): string[] {
  if (!existsSync(dataDir)) return []
  const secrets = SECRET_FILES.map((name) => join(dataDir, name)).filter((path) => existsSync(path))
  if (databaseUrl !== undefined && secrets.length === 0) return []
  const tightened = secrets.filter((path) => tighten(path, 0o600))
  return tighten(dataDir, 0o700) ? [dataDir, ...tightened] : tightened
}

/** True when the mode was wider. */
function tighten(path: string, mode: number): boolean {
  const isWide = (): boolean => (statSync(path).mode & 0o777 & ~mode) !== 0
  if (!isWide()) return false
  let why = 'the file system keeps no modes'
  try {
    chmodSync(path, mode)
  } catch (error) {
    why = (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
  if (!isWide()) return true
  throw new ConfigError(
    `${path} is open to other users of this machine, and its mode cannot be changed (${why}): run "chmod ${mode.toString(8)} ${path}" as its owner, or set GATEHOUSE_DATA to a folder that belongs to the user who runs Gatehouse`,
  )
}
