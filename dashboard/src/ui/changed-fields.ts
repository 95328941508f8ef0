type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the fields that differ from `before`, so that a change does not overwrite other operators' changes. `before`: what the form began
 * with (`form.getInitialValues()`), and not what is stored now. Objects whose path is in `merged` (`settings.claims`) are compared field by
 * field, as the API merges them.
 */
export function changedFields<T extends object>(current: T, before: T, merged: readonly string[] = [], path = ''): T {
  const previous = before as Fields
  const changed = Object.entries(current).flatMap(([name, value]) => {
    if (JSON.stringify(value) === JSON.stringify(previous[name])) return []
    if (merged.includes(path + name) && isFields(value) && isFields(previous[name])) {
      return [[name, changedFields(value, previous[name], merged, `${path}${name}.`)]]
    }
    return [[name, value]]
  })
  return Object.fromEntries(changed) as T
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
