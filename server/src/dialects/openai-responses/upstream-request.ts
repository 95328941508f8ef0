import type { Fields } from '../../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS, type OriginalRequest } from '../../shared/original-request.ts'
import { withAddedTexts } from '../added-texts.ts'
import { splitUnknown } from '../known-fields.ts'
import { textsAgree } from '../texts-agree.ts'
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
