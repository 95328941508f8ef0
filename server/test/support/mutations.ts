/** A copy of a JSON value with one more text in it. `at`: its place. */
export interface Mutation {
  readonly at: string
  readonly value: unknown
}

/** Values of a field whose name is the text: empty ones are easily taken for an absent field. */
const NAMED: readonly unknown[] = ['x', null, true, 0, '', [], {}]

type Fields = Readonly<Record<string, unknown>>

/**
 * Every value that `value` can become by one text: in place of each inner value, after each string, as the value of a further field of each
 * object, and as the name of one with each kind of value.
 */
export function withTextEverywhere(value: unknown, text: string, at = ''): readonly Mutation[] {
  const own = at === '' ? [] : [{ at, value: text }]
  if (typeof value === 'string') return [...own, { at: `${at} (end)`, value: `${value} ${text}` }]
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, index) =>
      withTextEverywhere(item, text, `${at}[${index}]`).map((each) => ({ ...each, value: value.with(index, each.value) })),
    )
    return [...own, ...inner, { at: `${at}[+]`, value: [...value, text] }]
  }
  if (typeof value !== 'object' || value === null) return own
  const fields = value as Fields
  const inner = Object.entries(fields).flatMap(([name, field]) =>
    withTextEverywhere(field, text, at === '' ? name : `${at}.${name}`).map((each) => ({
      ...each,
      value: { ...fields, [name]: each.value },
    })),
  )
  return [
    ...own,
    ...inner,
    { at: `${at}.x_further`, value: { ...fields, x_further: text } },
    ...NAMED.map((named) => ({ at: `${at}.<name>: ${JSON.stringify(named)}`, value: { ...fields, [text]: named } })),
    { at: `${at}.x_further.<name>`, value: { ...fields, x_further: { [text]: null } } },
  ]
}

/** As `withTextEverywhere` for a value that is no text: in place of each inner value, at the end of each list, and in a further field of each object. */
export function withValueEverywhere(value: unknown, inserted: unknown, at = ''): readonly Mutation[] {
  const own = at === '' ? [] : [{ at, value: inserted }]
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, index) =>
      withValueEverywhere(item, inserted, `${at}[${index}]`).map((each) => ({ ...each, value: value.with(index, each.value) })),
    )
    return [...own, ...inner, { at: `${at}[+]`, value: [...value, inserted] }]
  }
  if (typeof value !== 'object' || value === null) return own
  const fields = value as Fields
  const inner = Object.entries(fields).flatMap(([name, field]) =>
    withValueEverywhere(field, inserted, at === '' ? name : `${at}.${name}`).map((each) => ({
      ...each,
      value: { ...fields, [name]: each.value },
    })),
  )
  return [...own, ...inner, { at: `${at}.x_further`, value: { ...fields, x_further: inserted } }]
}
