/** Canonical JSON (RFC 8785), as it is hashed and signed. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = value as Record<string, unknown>
  // RFC 8785 sorts by UTF-16 code units, as Array.sort does.
  const names = Object.keys(fields).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`).join()}}`
}
