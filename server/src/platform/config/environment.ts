import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'

/** The environment variables of the process. Only main.ts reads `process.env`; all other code gets them as an argument. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The environment or configuration file is invalid. The message says what to change. */
export class ConfigError extends Error {}

// The readers below throw a ConfigError that names the variable. Without a value they return the fallback.

/** A whole number from `min` to `max`. */
export function integer<F extends number | undefined>(env: Environment, name: string, fallback: F, min: number, max: number) {
  const text = env[name]
  if (!text) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < min || value > max)
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}`)
  return value
}

/** A time in seconds, which may have a fraction. Returns milliseconds. */
export function seconds(env: Environment, name: string, fallbackMs: number, max: number): number {
  const text = env[name]
  if (!text) return fallbackMs
  const value = Number(text)
  if (!/^[0-9.]+$/.test(text) || !(value >= 0 && value <= max))
    throw new ConfigError(`${name} must be a number of seconds from 0 to ${max}`)
  return Math.round(value * 1_000)
}

export function flag(env: Environment, name: string, fallback: boolean): boolean {
  const text = env[name]
  if (!text) return fallback
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw new ConfigError(`${name} must be 1 or 0`)
}

export function oneOf<T extends string>(env: Environment, name: string, fallback: T, allowed: readonly T[]): T {
  const value = env[name] || fallback
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new ConfigError(`${name} must be one of ${allowed.join(', ')}`)
  return found
}

/** Whether the text is an http or https URL without credentials, query and fragment. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(text)
}

/** Adds the variables of the file GATEHOUSE_ENV_FILE, which SIGHUP reads again. The environment has precedence. Throws a ConfigError. */
export function withEnvironmentFile(env: Environment): Environment {
  const { GATEHOUSE_ENV_FILE: name } = env
  if (!name) return env
  const path = resolve(name)
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value))
  try {
    return { ...parseEnv(readFileSync(path, 'utf8')), ...set }
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new ConfigError(`GATEHOUSE_ENV_FILE names ${path}, which cannot be read (${code})`)
  }
}
