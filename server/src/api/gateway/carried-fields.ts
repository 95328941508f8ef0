import type { ClientDialect, DecodeContext, DecodedRequest } from '../../dialects/client-dialect.ts'
import { isEmpty } from '../../dialects/field-values.ts'
import { splitUnknown, type UnknownField } from '../../dialects/known-fields.ts'
import { takeOut } from '../../dialects/take-out.ts'
import type { Problem } from '../../platform/lib/schema.ts'
import { isObject } from '../../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS, UNKNOWN_FIELD } from '../../shared/original-request.ts'
import type { UnknownFields } from '../../shared/principal.ts'
import { refusedField } from './chat-fields.ts'

/** Most blocks, items and untranslatable fields that one request may carry: the body is decoded once for each. */
const MAX_CARRIED = 32

type Decoded = Extract<DecodedRequest, { readonly ok: true }>
type Refused = Extract<DecodedRequest, { readonly ok: false }>

/** `unknown`: paths of all unknown fields. `carried`: those that the chat form has no place for. */
export type CarryingRequest =
  | (Decoded & { readonly unknown: readonly string[]; readonly carried: readonly UnknownField[] })
  | Refused

/** Unknown fields become a parameter that detectors read (GW-FID-4). Only a provider of the same API gets them, in their places. */
export function decodeCarrying(
  dialect: ClientDialect,
  body: unknown,
  unknownFields: UnknownFields,
  context: DecodeContext,
): CarryingRequest {
  const { unknown, body: known } = splitUnknown(body, dialect.known)
  const problem = unknownProblem(unknown, unknownFields)
  if (problem) return { ok: false, problem }
  const paths = unknown.map(({ path }) => path)
  // The chat form is the body itself, so it has them in their places.
  if (dialect.name === 'openai-chat') return withCarried(dialect.decode(body, context), paths, [])
  // No provider gets the governance block.
  const carried = unknown.filter(({ at }) => !/^governance(?:\.|$)/.test(at))
  if (unknownFields !== 'carry') return withCarried(dialect.decode(known, context), paths, carried)
  return decodeAll(dialect, known, context, paths, carried)
}

function unknownProblem(unknown: readonly UnknownField[], unknownFields: UnknownFields): Problem | undefined {
  for (const { at, path, name, value } of unknown) {
    // Inside other objects these names have other meanings.
    const refused = at === '' ? refusedField({ [name]: value }, '') : undefined
    if (refused) return refused
    if (unknownFields === 'refuse') return { param: path, message: UNKNOWN_FIELD }
  }
  return undefined
}

/** Also carries blocks and items of unknown types, and fields that the dialect knows and cannot translate. */
function decodeAll(
  dialect: ClientDialect,
  body: unknown,
  context: DecodeContext,
  paths: readonly string[],
  unknown: readonly UnknownField[],
): CarryingRequest {
  const carried = [...unknown]
  for (let rest = body, left = MAX_CARRIED; ; left--) {
    const decoded = dialect.decode(rest, context)
    if (decoded.ok || !decoded.unknownField || left === 0) return withCarried(decoded, paths, carried)
    const { path, placeholder } = decoded.unknownField
    const field = takeOut(rest, path, placeholder)
    if (!field || refusedField({ [path]: field.value }, '')) return decoded
    const dot = path.lastIndexOf('.')
    carried.push({ at: path.slice(0, Math.max(dot, 0)), path, name: path.slice(dot + 1), value: field.value })
    rest = field.rest
  }
}

function withCarried(decoded: DecodedRequest, unknown: readonly string[], carried: readonly UnknownField[]): CarryingRequest {
  if (!decoded.ok || carried.length === 0) return decoded.ok ? { ...decoded, unknown, carried } : decoded
  const fields = carried.map(({ name, value }) => ({ [name]: value }))
  const chat = isObject(decoded.chat) ? { ...decoded.chat, [CARRIED_FIELDS]: fields } : decoded.chat
  const first = carried.find(({ value }) => !isEmpty(value))
  const fieldOf = (param: string): string => (param.startsWith(CARRIED_FIELDS) ? (first?.path ?? param) : decoded.fieldOf(param))
  const all = [...new Set([...unknown, ...carried.map(({ path }) => path)])]
  return { ...decoded, chat, fieldOf, unknown: all, carried }
}
