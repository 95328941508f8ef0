import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { ConfigError, type Environment } from './environment.ts'

/**
 * Adds the variables of the file that GATEHOUSE_ENV_FILE names (lines `NAME=value`). A variable of the environment itself has
 * precedence. The file can change while the server runs; SIGHUP reads it again. Throws a ConfigError if the file cannot be read.
 */
export function withEnvironmentFile(env: Environment): Environment {
  const { GATEHOUSE_ENV_FILE: name } = env
  if (!name) return env
  const path = resolve(name)
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value))
  return { ...parseEnv(readText(path)), ...set }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `GATEHOUSE_ENV_FILE names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    )
  }
}
