import { parse } from 'yaml'

/** A YAML map. Undefined if the text is something else. */
export function readMap(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parse(text, { logLevel: 'silent' })
    if (value === null) return {}
    return typeof value === 'object' && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
