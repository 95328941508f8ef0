import type { ClientDialect, DecodeContext, DecodedRequest } from '../dialects/client-dialect.ts'
import { takeOut } from '../dialects/take-out.ts'
import { CARRIED_FIELDS } from '../domain/original-request.ts'
import type { UnknownFields } from '../domain/principal.ts'
import { type Fields, isObject } from '../lib/untrusted-json.ts'
import { refusedField } from './chat-fields.ts'

/** Most fields that one request may carry. */
const MAX_CARRIED = 32

type Decoded = Extract<DecodedRequest, { readonly ok: true }>

/** `carried`: paths of the fields that only a provider of the same API can get. */
export type CarryingRequest =
  | (Decoded & { readonly carried: readonly string[] })
  | Extract<DecodedRequest, { readonly ok: false }>

/**
 * Decodes a body. If the Application allows it, fields that the dialect does not know are set aside (GW-FID-4). They become a parameter of the chat form, so
 * detectors read them like all others. A provider of the same API gets them in their places; no other provider can get the request.
 */
export function decodeCarrying(
  dialect: ClientDialect,
  body: unknown,
  unknownFields: UnknownFields,
  context: DecodeContext,
): CarryingRequest {
  const carried: Record<string, unknown> = {}
  for (let rest = body; ; ) {
    const decoded = dialect.decode(rest, context)
    const paths = Object.keys(carried)
    if (decoded.ok) return paths.length === 0 ? { ...decoded, carried: paths } : withCarried(decoded, carried)
    const { unknownField } = decoded
    const isAllowed = unknownFields === 'carry' && paths.length < MAX_CARRIED
    const field = isAllowed && unknownField ? takeOut(rest, unknownField.path, unknownField.placeholder) : undefined
    if (!unknownField || !field || refusedField({ [unknownField.path]: field.value }, '')) return decoded
    carried[unknownField.path] = field.value
    rest = field.rest
  }
}

function withCarried(decoded: Decoded, carried: Fields): CarryingRequest {
  const paths = Object.keys(carried)
  const chat = isObject(decoded.chat) ? { ...decoded.chat, [CARRIED_FIELDS]: carried } : decoded.chat
  const fieldOf = (param: string): string => (param.startsWith(CARRIED_FIELDS) ? (paths[0] ?? param) : decoded.fieldOf(param))
  return { ...decoded, chat, fieldOf, carried: paths }
}
