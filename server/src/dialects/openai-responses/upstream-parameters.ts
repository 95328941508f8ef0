import { type Fields, isObject, isSet } from '../../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS, NAMESPACED_NAMES } from '../../shared/original-request.ts'
import { withoutNulls } from '../field-values.ts'
import {
  maxTokensOf,
  only,
  onlyText,
  schemaOf,
  type Translate,
  translateParameters,
  unchanged,
  without,
} from '../translate-parameters.ts'

/** Parameters that are not listed have no equivalent. */
const PARAMETERS: Readonly<Record<string, Translate>> = {
  // maxTokensOf reads both.
  max_tokens: without,
  max_completion_tokens: without,
  temperature: unchanged,
  top_p: unchanged,
  metadata: unchanged,
  user: unchanged,
  safety_identifier: unchanged,
  prompt_cache_key: unchanged,
  prompt_cache_retention: unchanged,
  prompt_cache_options: unchanged,
  service_tier: unchanged,
  reasoning_effort: (effort) => ({ reasoning: { effort } }),
  reasoning_included: (value) => (isListWith(value, 'summary') ? { reasoning: { summary: 'auto' } } : {}),
  verbosity: (verbosity) => ({ text: { verbosity } }),
  response_format: (value) => responseFormat(value as Fields),
  top_logprobs: (value, name, { logprobs }) => (logprobs === true ? { [name]: value } : only(0)(value, name, {})),
  // upstream-request.ts, in `include`.
  logprobs: without,
  tools: without,
  [NAMESPACED_NAMES]: without,
  // editBody keeps the fields in their places.
  [CARRIED_FIELDS]: without,
  tool_choice: without,
  parallel_tool_calls: without,
  // Without effect on the completion: a hint for another provider's cache, and the stream that the gateway makes itself.
  cache_control: without,
  stream_options: without,
  governance: without,
  n: only(1),
  presence_penalty: only(0),
  frequency_penalty: only(0),
  store: only(false),
  modalities: onlyText,
}

const isListWith = (value: unknown, item: string): boolean => Array.isArray(value) && value.includes(item)

export const ENCRYPTED_REASONING = 'reasoning.encrypted_content'

/** Models that do not reason refuse encrypted reasoning, so it is asked for only if the request shows that the model reasons. */
export function showsReasoning(reasoning: unknown, input: readonly unknown[]): boolean {
  const effort = isObject(reasoning) ? reasoning.effort : undefined
  return (isSet(effort) && effort !== 'none') || input.some((item) => isObject(item) && item.type === 'reasoning')
}

/** Whether a client of this API wants reasoning in the form that the provider accepts back (request.ts). */
export const asksForEncryptedReasoning = ({ reasoning_included: included }: Fields): boolean =>
  isListWith(included, 'encrypted_content')

/** Throws UntranslatableField for the first parameter without an equivalent, except those for tools. */
export function encodeParameters(parameters: Fields): Fields {
  const max_output_tokens = maxTokensOf(parameters)
  return {
    ...translateParameters(parameters, PARAMETERS),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
  }
}

function responseFormat(format: Fields): Fields {
  const declared = schemaOf(format, ['text', 'json_object'])
  return { text: { format: { type: format.type, ...(declared && withoutNulls(declared)) } } }
}
