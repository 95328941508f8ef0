export interface DeclaredFields {
  readonly values: object
  /** Paths of objects whose fields are applied one by one, for example `settings.memory`. Other objects are replaced. */
  readonly merged: readonly string[]
}

/** Lists the fields that are applied one by one, with their paths. */
export function listFields({ values, merged }: DeclaredFields): [path: string, value: unknown][] {
  return listFieldsBelow(values, '', merged)
}

/** Returns the values with only the fields at `paths`. */
export function pickFields({ values, merged }: DeclaredFields, paths: ReadonlySet<string>): object {
  const pick = (object: object, at: string): object =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
        const path = at + name
        if (!isMerged(value, path, merged)) return paths.has(path) ? [[name, value]] : []
        const inner = pick(value, `${path}.`)
        return Object.keys(inner).length > 0 ? [[name, inner]] : []
      }),
    )
  return pick(values, '')
}

const listFieldsBelow = (object: object, at: string, merged: readonly string[]): [string, unknown][] =>
  Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]): [string, unknown][] => {
      const path = at + name
      return isMerged(value, path, merged) ? listFieldsBelow(value, `${path}.`, merged) : [[path, value]]
    })

const isMerged = (value: unknown, path: string, merged: readonly string[]): value is object =>
  merged.includes(path) && typeof value === 'object' && value !== null
