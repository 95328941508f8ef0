import { ConfigError } from './environment.ts'

/** A JSON array of the program and its arguments, or words between spaces. `name`: the variable, for the error. */
export function readCommandWords(name: string, text: string): readonly string[] {
  if (!text.trimStart().startsWith('[')) return text.trim().split(/\s+/)
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')) return value
  } catch {
    // The error below says what is expected.
  }
  throw new ConfigError(`${name} must be words between spaces, or a JSON array of strings such as ["kms", "decrypt", "my key"]`)
}
