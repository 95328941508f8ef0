import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { ConfigError } from './environment.ts'

const SECRET_FILES = ['secret.key', 'demo.json', 'admin-token', 'first-login.txt']

/** Removes other users' access to the data folder (0700) and its secrets (0600). Returns the changed paths. Throws a ConfigError. */
export function secureDataFolder({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): string[] {
  if (!existsSync(dataDir)) return []
  const secrets = SECRET_FILES.map((name) => join(dataDir, name)).filter((path) => existsSync(path))
  if (databaseUrl !== undefined && secrets.length === 0) return []
  const restricted = secrets.filter((path) => restrictMode(path, 0o600))
  return restrictMode(dataDir, 0o700) ? [dataDir, ...restricted] : restricted
}

/** Returns whether the mode was changed. */
function restrictMode(path: string, mode: number): boolean {
  const isTooOpen = (): boolean => (statSync(path).mode & 0o777 & ~mode) !== 0
  if (!isTooOpen()) return false
  let reason = 'the file system does not store modes'
  try {
    chmodSync(path, mode)
  } catch (error) {
    reason = (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
  if (!isTooOpen()) return true
  throw new ConfigError(
    `${path} is open to other users of this machine, and its mode cannot be changed (${reason}): run "chmod ${mode.toString(8)} ${path}" as its owner, or set GATEHOUSE_DATA to a folder that belongs to the user who runs Gatehouse`,
  )
}
