import canonicalize from 'canonicalize'

/** RFC 8785: one text for one value, whatever the order of its keys. Throws on what JSON cannot hold. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('value has no JSON form')
  return text
}
