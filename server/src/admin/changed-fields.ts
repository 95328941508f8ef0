import type { TSchema } from 'typebox'

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
}

/**
 * What a checked body sets, as the audit record names it: `limits.burst`, `settings.knowledge.enabled`. Names that callers
 * are free to choose (attributes, further settings) may say as much as values do: then only what they stand in is named.
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
