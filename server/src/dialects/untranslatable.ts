import type { Fields } from '../platform/lib/untrusted-json.ts'
import type { Unsupported } from './upstream-dialect.ts'

/** Ends the translation of a request for a provider. The encoder of the dialect turns it into a value. */
export class UntranslatableField extends Error {
  readonly unsupported: Unsupported

  constructor(param: string, code: Unsupported['code'] = 'unsupported_parameter') {
    super(`${param} has no equivalent`)
    this.name = 'UntranslatableField'
    this.unsupported = { code, param }
  }
}

/** Whether a field asks for nothing. Typed clients send null, [], {} and '' for fields that they do not use. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

/** Throws if an object has a field besides `known` that asks for something. */
export function allowOnly(value: Fields, known: ReadonlySet<string>, at: string): void {
  const unknown = Object.keys(value).find((name) => !known.has(name) && !isEmpty(value[name]))
  if (unknown !== undefined) throw new UntranslatableField(`${at}.${unknown}`)
}
