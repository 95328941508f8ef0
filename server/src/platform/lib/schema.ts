import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'

/** More than the words of any list: each branch of a union reports an error, and the union itself the last one. By default 8. */
Settings.Set({ maxErrors: 64 })

export interface Problem {
  /** Path of the invalid field: `messages[0].role`; empty for the whole value. */
  readonly param: string
  /** Continues a sentence that begins with the field: "must be string". */
  readonly message: string
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem }

/** Reports the first problem and never changes the value. `patterns`: the message for a text that does not match a pattern. */
export function checker<S extends TSchema>(
  schema: S,
  patterns: Readonly<Record<string, string>> = {},
): (value: unknown) => Checked<Static<S>> {
  const compiled = Compile(schema)
  return (value) => {
    if (compiled.Check(value)) return { ok: true, value: value as Static<S> }
    const errors = compiled.Errors(value)
    const first = errors[0]
    // The branches of a union report before the union: report the union where there is one.
    const union = errors.find((error) => error.keyword === 'anyOf' && error.instancePath === first?.instancePath)
    const alternatives = errors.filter((error) => error.instancePath === first?.instancePath)
    return { ok: false, problem: describe((union ? alternatives : errors.slice(0, 1)) as SchemaError[], patterns) }
  }
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Record<string, unknown>
  readonly message: string
}

function describe(errors: readonly SchemaError[], patterns: Readonly<Record<string, string>>): Problem {
  const [first] = errors
  if (!first) return { param: '', message: 'is not valid' }
  const missing = first.keyword === 'required' ? (first.params.requiredProperties as string[])[0] : undefined
  const param = pathOf(first.instancePath) + (missing === undefined ? '' : `${first.instancePath ? '.' : ''}${missing}`)
  if (missing !== undefined) return { param, message: 'is required' }
  // `additionalProperties: false` reports unknown fields as errors of the schema `false`.
  if (first.keyword === 'boolean') return { param, message: 'is not a known field' }
  const pattern = errors.find((error) => error.keyword === 'pattern')
  const words = pattern && patterns[String(pattern.params.pattern)]
  if (words !== undefined) return { param, message: words }
  if (first.keyword === 'minLength' && first.params.limit === 1) return { param, message: 'must not be empty' }
  const allowed = errors.filter((error) => error.keyword === 'const').map((error) => JSON.stringify(error.params.allowedValue))
  if (allowed.length > 1) return { param, message: `must be one of ${allowed.join(', ')}` }
  const types = errors.filter((error) => error.keyword === 'type').map((error) => String(error.params.type))
  if (types.length > 1) return { param, message: `must be ${types.filter((type) => type !== 'null').join(' or ')}` }
  return { param, message: first.message }
}

/** JSON pointer → `messages[0].content`. */
const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '')
