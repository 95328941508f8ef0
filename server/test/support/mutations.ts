/** A copy of a JSON value with one more text in it. `at`: its place. */
export interface Mutation {
  readonly at: string
  readonly value: unknown
}

/** Values of a field whose name is the text: empty ones are easily taken for an absent field. */
const NAMED: readonly unknown[] = ['x', null, true, 0, '', [], {}]

type Fields = Readonly<Record<string, unknown>>

/**
 * Every value that `value` can become by one inserted value: in place of each inner value, at the end of each list, and in a further field of
 * each object. A text also stands after each string, and as the name of a field with each kind of value.
 */
export function withValueEverywhere(value: unknown, inserted: unknown, at = ''): readonly Mutation[] {
  const own = at === '' ? [] : [{ at, value: inserted }]
  const isText = typeof inserted === 'string'
  if (typeof value === 'string' && isText) return [...own, { at: `${at} (end)`, value: `${value} ${inserted}` }]
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
  const further = { at: `${at}.x_further`, value: { ...fields, x_further: inserted } }
  if (!isText) return [...own, ...inner, further]
  const named = NAMED.map((each) => ({ at: `${at}.<name>: ${JSON.stringify(each)}`, value: { ...fields, [inserted]: each } }))
  return [
    ...own,
    ...inner,
    further,
    ...named,
    { at: `${at}.x_further.<name>`, value: { ...fields, x_further: { [inserted]: null } } },
  ]
}
