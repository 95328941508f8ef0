type Fields = Readonly<Record<string, unknown>>

/**
 * Of a change, the fields that differ from what the form began with: what somebody else changed meanwhile is not sent back as it
 * was. Fields that the API merges, by their paths in `merged` (`settings.claims`), are compared field by field; others go whole.
 */
export function changedOnly<T extends object>(now: T, before: T, merged: readonly string[] = [], path = ''): T {
  const was = before as Fields
  const changed = Object.entries(now).flatMap(([name, value]) => {
    if (JSON.stringify(value) === JSON.stringify(was[name])) return []
    if (merged.includes(path + name) && isFields(value) && isFields(was[name])) {
      return [[name, changedOnly(value, was[name], merged, `${path}${name}.`)]]
    }
    return [[name, value]]
  })
  return Object.fromEntries(changed) as T
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
