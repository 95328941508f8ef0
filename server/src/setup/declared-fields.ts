/** What is declared of a thing, field by field. */
export interface DeclaredFields {
  readonly values: object
  /** Paths of objects that are merged field by field when they are applied, as `settings.memory`; the others are replaced whole. */
  readonly merged: readonly string[]
}

/** Each field that is applied by itself, by its path. */
export function leavesOf({ values, merged }: DeclaredFields): [path: string, value: unknown][] {
  return leaves(values, '', merged)
}

/** The same values without the fields whose paths are not in `paths`. */
export function onlyFields({ values, merged }: DeclaredFields, paths: ReadonlySet<string>): object {
  const within = (object: object, at: string): object =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
        const path = at + name
        if (!isMerged(value, path, merged)) return paths.has(path) ? [[name, value]] : []
        const inner = within(value, `${path}.`)
        return Object.keys(inner).length > 0 ? [[name, inner]] : []
      }),
    )
  return within(values, '')
}

const leaves = (object: object, at: string, merged: readonly string[]): [string, unknown][] =>
  Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]): [string, unknown][] => {
      const path = at + name
      return isMerged(value, path, merged) ? leaves(value, `${path}.`, merged) : [[path, value]]
    })

const isMerged = (value: unknown, path: string, merged: readonly string[]): value is object =>
  merged.includes(path) && typeof value === 'object' && value !== null
