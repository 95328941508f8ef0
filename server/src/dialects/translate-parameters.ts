import { type Fields, isObject } from '../platform/lib/untrusted-json.ts'
import { isEmpty } from './field-values.ts'
import { allowOnly, UntranslatableField } from './untranslatable.ts'

export type Translate = (value: unknown, name: string, parameters: Fields) => Fields

export const unchanged: Translate = (value, name) => ({ [name]: value })

/** A value that asks for what the API does anyway. Any other value has no equivalent. */
const onlyIf =
  (isNeutral: (value: unknown) => boolean): Translate =>
  (value, name) => {
    if (!isNeutral(value)) throw new UntranslatableField(name)
    return {}
  }
export const only = (neutral: unknown): Translate => onlyIf((value) => value === neutral)
export const without: Translate = () => ({})
/** A hint without effect on the completion. Another value than a text could be something else. */
export const withoutText = onlyIf((value) => typeof value === 'string')
export const onlyText = onlyIf((value) => Array.isArray(value) && value.every((modality) => modality === 'text'))

/** Throws UntranslatableField for the first parameter that `table` does not have. Objects for the same field are joined. */
export function translateParameters(parameters: Fields, table: Readonly<Record<string, Translate>>): Fields {
  const encoded: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (isEmpty(value)) continue
    const translate = Object.hasOwn(table, name) ? table[name] : undefined
    if (!translate) throw new UntranslatableField(name)
    for (const [field, part] of Object.entries(translate(value, name, parameters))) {
      const known = encoded[field]
      encoded[field] = isObject(known) && isObject(part) ? { ...known, ...part } : part
    }
  }
  return encoded
}

/** The `json_schema` of a `response_format`; undefined: it has a type of `others`, without a schema. */
export function schemaOf(format: Fields, others: readonly unknown[]): (Fields & { readonly schema: Fields }) | undefined {
  const { type, json_schema: declared } = format
  allowOnly(format, type === 'json_schema' ? ['type', 'json_schema'] : ['type'], 'response_format')
  if (others.includes(type)) return undefined
  if (type !== 'json_schema' || !isObject(declared) || !isObject(declared.schema)) {
    throw new UntranslatableField('response_format.type', 'invalid_value')
  }
  allowOnly(declared, ['name', 'description', 'schema', 'strict'], 'response_format.json_schema')
  return { ...declared, schema: declared.schema }
}

export function maxTokensOf({ max_tokens, max_completion_tokens }: Fields): number | undefined {
  const limits = [max_tokens, max_completion_tokens].filter((limit) => typeof limit === 'number')
  return limits.length === 0 ? undefined : Math.min(...limits)
}
