type Json = Readonly<Record<string, unknown>>

/** The OpenAPI document with each reference replaced by its component. */
export function withoutReferences<D>(document: D): D {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(resolve)
    const { $ref, ...others } = value as Json
    if (typeof $ref === 'string') return resolve({ ...componentAt(document, $ref), ...others })
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]))
  }
  return resolve(document) as D
}

/** The component of a reference, such as `#/components/schemas/Application`; undefined if the document has none. */
export const componentAt = (document: unknown, reference: string): Json | undefined =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce<Json | undefined>((value, key) => value?.[key] as Json | undefined, document as Json)
