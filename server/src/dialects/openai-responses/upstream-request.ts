import { parseKeepingNumbers } from '../../platform/lib/json-numbers.ts'
import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import { FREE_JSON } from '../../shared/free-json.ts'
import { collectTexts } from '../../shared/message.ts'
import { CARRIED_FIELDS, type OriginalRequest } from '../../shared/original-request.ts'
import { withAddedTexts } from '../added-texts.ts'
import type { DecodedRequest } from '../client-dialect.ts'
import { splitUnknown } from '../known-fields.ts'
import { takeOut } from '../take-out.ts'
import { encodeTranslated, UntranslatableField } from '../untranslatable.ts'
import type { EncodedRequest, UpstreamRequest } from '../upstream-dialect.ts'
import { RESPONSES_FIELDS } from './known-fields.ts'
import { decodeRequest } from './request.ts'
import { editBody, isUnchanged } from './upstream-in-place.ts'
import { encodeInput, type Item } from './upstream-input.ts'
import { asksForEncryptedReasoning, ENCRYPTED_REASONING, encodeParameters, showsReasoning } from './upstream-parameters.ts'
import { encodeTools } from './upstream-tools.ts'

/** A chat request as a stateless request of the Responses API: https://platform.openai.com/docs/api-reference/responses/create. */
export function encodeRequest(request: UpstreamRequest): EncodedRequest {
  return encodeTranslated(request, 'openai-responses', () => {
    const { original, stream } = request
    const body = (original?.dialect === 'openai-responses' && edit(request, original)) || createBody(request)
    return { ...body, store: false, stream }
  })
}

/** The client's body with the changes of policies; undefined: one of the changes has no place in it. */
function edit(request: UpstreamRequest, original: OriginalRequest): Fields | undefined {
  const body = editBody(request, original)
  if (isUnchanged(request, original)) return body
  const { added: _, ...own } = request
  const { body: known } = splitUnknown(request.added ? editBody(own, original) : body, RESPONSES_FIELDS)
  if (textsAgree(known, request, decodeRequest)) return body
  if (original.carried.length > 0) throw new UntranslatableField(CARRIED_FIELDS)
  return undefined
}

function createBody({ model, messages, parameters, added }: UpstreamRequest): Fields {
  const input = encodeInput(added ? withAddedTexts(messages, added) : messages)
  const others = encodeParameters(parameters)
  const include = includeOf(parameters, others, input)
  return { model, ...others, ...encodeTools(parameters), ...(include.length > 0 && { include }), input }
}

function includeOf(parameters: Fields, { reasoning }: Fields, input: readonly Item[]): readonly string[] {
  return [
    ...(asksForEncryptedReasoning(parameters) || showsReasoning(reasoning, input) ? [ENCRYPTED_REASONING] : []),
    ...(parameters.logprobs === true ? ['message.output_text.logprobs'] : []),
  ]
}

type Decode = (body: unknown) => { readonly ok: true; readonly chat: unknown } | Extract<DecodedRequest, { readonly ok: false }>

/** Whether policies have left each text of a body, as its API reads it: an edit that misses a text must not bring it back. */
function textsAgree(body: unknown, request: UpstreamRequest, decode: Decode): boolean {
  // Numbers whose text is kept (platform/lib/json-numbers.ts) are read as those of the request.
  const chat = decodeKnown(parseKeepingNumbers(JSON.stringify(body), FREE_JSON).value, decode)
  if (!isObject(chat)) return false
  const { model: _, stream: _stream, messages, ...parameters } = chat
  const left = new Set([...collectTexts(request.messages), ...collectTexts(request.parameters)])
  return [...collectTexts(messages), ...collectTexts(parameters)].every((text) => left.has(text))
}

/** Without the fields that the API does not know: `encodeTranslated` compares these. */
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
