import { isDeepStrictEqual } from 'node:util'
import type { Fields } from '../../src/platform/lib/untrusted-json.ts'
import { isObject } from '../../src/platform/lib/untrusted-json.ts'
import { decode, encode, UPSTREAMS } from '../fuzz/codecs/forward.ts'
import type { Api } from '../fuzz/codecs/request-bodies.ts'
import type { FieldGroup } from './field-group.ts'

/** The effect of a field on the request for a provider: the same value at the same place, other fields, nothing, or no request. */
export type Outcome =
  | { readonly kind: 'same' }
  | { readonly kind: 'translated'; readonly to: readonly string[] }
  | { readonly kind: 'left out' }
  | { readonly kind: 'refused'; readonly param: string }

type Sent = { readonly ok: true; readonly body: Fields } | { readonly ok: false; readonly param: string }

/** The body that a provider gets for a client's. */
function send(from: Api, to: Api, body: Fields): Sent {
  const decoded = decode(from, JSON.stringify(body), 'name')
  if (!decoded.ok) return { ok: false, param: decoded.message.split(': ', 1)[0] ?? '' }
  const encoded = encode(UPSTREAMS[to], decoded.request)
  return encoded.ok
    ? { ok: true, body: JSON.parse(encoded.body) as Fields }
    : { ok: false, param: decoded.fieldOf(encoded.unsupported.param) }
}

export function outcomeOf({ api, body }: FieldGroup, name: string, value: unknown, to: Api): Outcome {
  const [without, written] = [body({}), body({ [name]: value })]
  const [before, after] = [send(api, to, without), send(api, to, written)]
  if (!after.ok) return { kind: 'refused', param: after.param }
  const places = differences(before.ok ? before.body : {}, after.body)
  if (places.length === 0) return { kind: 'left out' }
  const own = differences(without, written)
  const isSame =
    isDeepStrictEqual(
      own.map(({ path }) => path),
      places.map(({ path }) => path),
    ) && own.every(({ value: each }, index) => isDeepStrictEqual(each, places[index]?.value))
  return isSame ? { kind: 'same' } : { kind: 'translated', to: [...new Set(places.map(({ path }) => path))] }
}

interface Place {
  readonly path: string
  readonly value: unknown
}

/** The places at which two JSON values differ, without the indices of lists. */
function differences(before: unknown, after: unknown, path = ''): readonly Place[] {
  if (isDeepStrictEqual(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== 'model')
    return names.flatMap((name) => differences(before[name], after[name], path === '' ? name : `${path}.${name}`))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, index) => differences(item, after[index], `${path}[]`))
  return [{ path, value: after }]
}
