import { parseKeepingNumbers } from '../platform/lib/json-numbers.ts'
import { isObject } from '../platform/lib/untrusted-json.ts'
import { FREE_JSON } from '../shared/free-json.ts'
import { collectTexts } from '../shared/message.ts'
import type { DecodedRequest } from './client-dialect.ts'
import { takeOut } from './take-out.ts'
import type { UpstreamRequest } from './upstream-dialect.ts'

type Decode = (body: unknown) => { readonly ok: true; readonly chat: unknown } | Extract<DecodedRequest, { readonly ok: false }>

/**
 * Whether each text of a body, as its API reads it, is one that the policies have left in the request: an edit in place that misses a text must not
 * bring the original back. `body` has no texts that the gateway adds.
 */
export function textsAgree(body: unknown, request: UpstreamRequest, decode: Decode): boolean {
  // Numbers whose text is kept (platform/lib/json-numbers.ts) are read as those of the request.
  const chat = decodeKnown(parseKeepingNumbers(JSON.stringify(body), FREE_JSON).value, decode)
  if (!isObject(chat)) return false
  const { model: _, stream: _stream, messages, ...parameters } = chat
  const left = new Set([...collectTexts(request.messages), ...collectTexts(request.parameters)])
  return [...collectTexts(messages), ...collectTexts(parameters)].every((text) => left.has(text))
}

/** The body in the form of the chat API, without the fields that the API does not know: `carriedField` compares these. */
function decodeKnown(body: unknown, decode: Decode): unknown {
  for (let rest = body; ; ) {
    const decoded = decode(rest)
    if (decoded.ok) return decoded.chat
    const { unknownField } = decoded
    const field = unknownField && takeOut(rest, unknownField.path, unknownField.placeholder)
    if (!field) return undefined
    rest = field.rest
  }
}
