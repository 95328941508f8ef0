import type { Fields } from '../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS, NAMESPACED_NAMES, type OriginalRequest } from '../shared/original-request.ts'
import { isEmpty } from './field-values.ts'
import type { EncodedRequest, Unsupported, UpstreamRequest } from './upstream-dialect.ts'

/** Ends the translation of a request for a provider. `encodeTranslated` turns it into a value. */
export class UntranslatableField extends Error {
  readonly unsupported: Unsupported

  constructor(param: string, code: Unsupported['code'] = 'unsupported_parameter') {
    super(`${param} has no equivalent`)
    this.name = 'UntranslatableField'
    this.unsupported = { code, param }
  }
}

/** Throws if an object has a field besides `known` that asks for something. */
export function allowOnly(value: Fields, known: readonly string[], at: string): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name) && !isEmpty(value[name]))
  if (unknown !== undefined) throw new UntranslatableField(`${at}.${unknown}`)
}

export function encodeTranslated(
  request: UpstreamRequest,
  dialect: OriginalRequest['dialect'],
  encode: () => Fields,
): EncodedRequest {
  try {
    const carried = carriedField(request, dialect)
    if (carried !== undefined) throw new UntranslatableField(carried)
    return { ok: true, body: JSON.stringify(encode()) }
  } catch (error) {
    if (!(error instanceof UntranslatableField)) throw error
    return { ok: false, unsupported: error.unsupported }
  }
}

/** A field of the request that this provider cannot get: one of another API, or one that a policy has changed. */
function carriedField({ original, parameters }: UpstreamRequest, dialect: OriginalRequest['dialect']): string | undefined {
  if (!original) return undefined
  // A changed name has no place in the provider's body.
  if (parameters[NAMESPACED_NAMES] !== original.parameters[NAMESPACED_NAMES]) return NAMESPACED_NAMES
  const carried = original.parameters[CARRIED_FIELDS]
  if (carried === undefined) return undefined
  // A transform has changed one, and it cannot be put back into its place.
  if (original.dialect === dialect) return parameters[CARRIED_FIELDS] === carried ? undefined : CARRIED_FIELDS
  return (carried as readonly Fields[]).every((field) => Object.values(field).every(isEmpty)) ? undefined : CARRIED_FIELDS
}
