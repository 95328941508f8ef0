export type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S

const known = new Map<string, string>()

/** `created_at` → `createdAt`. Only for names of columns and fields: each name is remembered. */
export function camelCase<S extends string>(name: S): CamelCase<S> {
  const stored = known.get(name) ?? name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  known.set(name, stored)
  return stored as CamelCase<S>
}
