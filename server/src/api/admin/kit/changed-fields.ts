import type { TSchema } from 'typebox'

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
}

/**
 * The fields that a checked body sets, as named in audit records: `limits.burst`, `settings.knowledge.enabled`. Names that clients
 * choose (attributes, other settings) may reveal as much as values, so only the object that contains them is named.
 */
export const changedFields = (schema: TSchema, body: object): string[] => namesIn(schema as Shape, body, '')

function namesIn({ properties }: Shape, value: unknown, path: string): string[] {
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  const set = Object.entries(value).filter(([, field]) => field !== undefined)
  const names = set.flatMap(([name, field]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!shape) return path
    return namesIn(shape, field, path ? `${path}.${name}` : name)
  })
  return [...new Set(names)].filter((name) => name !== '')
}
