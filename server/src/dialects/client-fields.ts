import type { Problem } from '../platform/lib/schema.ts'
import type { DecodedRequest } from './client-dialect.ts'

type Refused = Extract<DecodedRequest, { readonly ok: false }>

/** Ends the decoding of a client's request. `decoded` turns it into a value. */
export class RefusedField extends Error {
  readonly problem: Problem

  constructor(param: string, message: string) {
    super(`${param}: ${message}`)
    this.problem = { param, message }
  }
}

/** A field, block or item that the gateway does not know. An Application may allow it (`settings.unknown_fields`). */
export class UnknownField extends RefusedField {
  readonly unknownField: NonNullable<Refused['unknownField']>

  /** `placeholder`: in place of a block or item, so that the others keep their indices; undefined: the field is removed. */
  constructor(path: string, message: string, placeholder?: unknown) {
    super(placeholder === undefined ? path : `${path}.type`, message)
    this.unknownField = { path, placeholder }
  }
}

export function refuse(param: string, message: string): never {
  throw new RefusedField(param, message)
}

export function decoded<T>(decode: () => T): T | Refused {
  try {
    return decode()
  } catch (error) {
    if (!(error instanceof RefusedField)) throw error
    const { problem } = error
    return { ok: false, problem, ...(error instanceof UnknownField && { unknownField: error.unknownField }) }
  }
}

/** The client's field for fields of the chat form: a longer path takes precedence over a shorter one. */
export type Sources = Map<string, string>

/** `messages[2].content[0].text` is `input[1].content[0].text` if `sources` has `messages[2]`. */
export function fieldOf(sources: ReadonlyMap<string, string>, param: string): string {
  for (let end = param.length; end > 0; end = Math.max(param.lastIndexOf('.', end - 1), param.lastIndexOf('[', end - 1))) {
    const source = sources.get(param.slice(0, end))
    if (source !== undefined) return source + param.slice(end)
  }
  return param
}
