import { type Json, nameOf, resolved } from './document.ts'

interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

const MAX_DEPTH = 4

/** Fields of an object in order, those of nested objects after it: `messages[].content`. */
export function fieldsOf(schema: Json, prefix = '', depth = 0, seen: readonly string[] = []): readonly Field[] {
  const { properties, required = [] } = objectIn(schema)
  return Object.entries((properties ?? {}) as Readonly<Record<string, Json>>).flatMap(([key, property]) => {
    const name = prefix + key
    const type = typeOf(property)
    const component = componentOf(property)
    const isShown = depth + 1 < MAX_DEPTH && (component === undefined || !seen.includes(component))
    const suffix = isList(property) ? '[].' : '.'
    const nested = isShown ? fieldsOf(property, name + suffix, depth + 1, component ? [...seen, component] : seen) : []
    const description = String(resolved(property).description ?? '')
    return [{ name, type, isRequired: (required as readonly string[]).includes(key), description }, ...nested]
  })
}

const withoutNull = (schema: Json): Json => {
  const { anyOf } = schema as { readonly anyOf?: readonly Json[] }
  const members = anyOf?.filter(({ type }) => type !== 'null')
  return members?.length === 1 && members[0]
    ? { ...members[0], ...(schema.description !== undefined && { description: schema.description }) }
    : schema
}

/** The object of a field: its own, that of its items, or that of the only object among its alternatives. */
function objectIn(schema: Json): Json {
  const whole = resolved(withoutNull(resolved(schema)))
  if (typeof whole.items === 'object') return objectIn(whole.items as Json)
  const members = (whole.anyOf ?? []) as readonly Json[]
  const object = members.map(resolved).find(({ properties, items }) => properties ?? items)
  return object ? objectIn(object) : whole
}

const isList = (schema: Json): boolean => typeOf(schema).includes('[]')

const componentOf = (schema: Json): string | undefined => {
  const only = withoutNull(schema)
  return nameOf(only) ?? (typeof only.items === 'object' ? nameOf(only.items as Json) : undefined)
}

/** `string`, `User[]`, `"low" | "high"`, `integer | null`. */
export function typeOf(schema: Json): string {
  const whole = resolved(schema)
  const { anyOf, items, type } = whole as {
    readonly anyOf?: readonly Json[]
    readonly items?: Json
    readonly type?: string | string[]
  }
  if (Array.isArray(whole.enum)) return whole.enum.map((word) => JSON.stringify(word)).join(' | ')
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ')
  const types = (Array.isArray(type) ? type : [type ?? 'any']).map((word) =>
    word === 'array' ? `${items ? typeOf(items) : 'any'}[]` : word,
  )
  return types.join(' | ')
}

/** Text of a cell of a Markdown table. Words in angle brackets and braces would be HTML and Vue. */
const cell = (text: string): string =>
  text.replaceAll('\n', ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')

const MAX_TYPE = 120

const typeCell = (type: string): string => cell(type.length > MAX_TYPE ? `${type.slice(0, MAX_TYPE)} …` : type)

export function fieldTable(fields: readonly Field[], { hasRequired }: { readonly hasRequired: boolean }): string {
  if (fields.length === 0) return ''
  const rows = fields.map(({ name, type, isRequired, description }) => {
    const required = hasRequired && isRequired ? '**Required.** ' : ''
    return `| \`${name}\` | ${typeCell(type)} | ${cell(required + description)} |`
  })
  return ['| field | type | description |', '|---|---|---|', ...rows].join('\n')
}
