import { type Fields, isObject } from '../../lib/untrusted-json.ts'
import { withAddedTexts } from '../added-texts.ts'
import { UntranslatableField } from '../untranslatable.ts'
import { carriedField, type EncodedRequest, type UpstreamRequest } from '../upstream-dialect.ts'
import { encodeInput, type Item } from './upstream-input.ts'
import { asksForEncryptedReasoning, encodeParameters } from './upstream-parameters.ts'
import { encodeTools } from './upstream-tools.ts'

/** A chat request as a stateless request of the Responses API: https://platform.openai.com/docs/api-reference/responses/create. */
export function encodeRequest(request: UpstreamRequest): EncodedRequest {
  const { model, messages, parameters, added, stream } = request
  const carried = carriedField(request, 'openai-responses')
  if (carried !== undefined) return { ok: false, unsupported: { code: 'unsupported_parameter', param: carried } }
  try {
    const input = encodeInput(added ? withAddedTexts(messages, added) : messages)
    const others = encodeParameters(parameters)
    const include = includeOf(parameters, others, input)
    const body = {
      model,
      ...others,
      ...encodeTools(parameters),
      ...(include.length > 0 && { include }),
      input,
      store: false,
      stream,
    }
    return { ok: true, body: JSON.stringify(body) }
  } catch (error) {
    if (!(error instanceof UntranslatableField)) throw error
    return { ok: false, unsupported: error.unsupported }
  }
}

/** Models that do not reason refuse encrypted reasoning, so it is asked for only if the request shows that the model reasons. */
function includeOf(parameters: Fields, { reasoning }: Fields, input: readonly Item[]): readonly string[] {
  const effort = isObject(reasoning) ? reasoning.effort : undefined
  const reasons =
    (effort !== undefined && effort !== 'none') ||
    asksForEncryptedReasoning(parameters) ||
    input.some(({ type }) => type === 'reasoning')
  return [
    ...(reasons ? ['reasoning.encrypted_content'] : []),
    ...(parameters.logprobs === true ? ['message.output_text.logprobs'] : []),
  ]
}
