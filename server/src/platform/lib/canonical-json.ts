import canonicalize from 'canonicalize'

/** The RFC 8785 form of a value, independent of the order of its keys. Throws a TypeError if the value has no JSON form. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('value has no JSON form')
  return text
}
