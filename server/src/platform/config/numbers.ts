import { ConfigError, type Environment } from './environment.ts'

/** Reads a whole number. Throws a ConfigError if it is outside of `min` to `max`. */
export function integer(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const text = env[name]
  if (!text) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}`)
  }
  return value
}

/** Reads a time in seconds, which may have a fraction, and returns milliseconds. Undefined if the variable is not set. */
export function seconds(env: Environment, name: string, max: number): number | undefined {
  const text = env[name]
  if (!text) return undefined
  const value = Number(text)
  if (!/^[0-9.]+$/.test(text) || !(value >= 0 && value <= max))
    throw new ConfigError(`${name} must be a number of seconds from 0 to ${max}`)
  return Math.round(value * 1_000)
}
