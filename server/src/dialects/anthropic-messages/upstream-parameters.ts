import { type Fields, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS, NAMESPACED_NAMES } from '../../shared/original-request.ts'
import { isEmpty } from '../field-values.ts'
import {
  maxTokensOf,
  only,
  onlyText,
  schemaOf,
  type Translate,
  translateParameters,
  unchanged,
  without,
  withoutText,
} from '../translate-parameters.ts'
import { UntranslatableField } from '../untranslatable.ts'

/** The API requires `max_tokens`. This applies if the request has no limit. */
const DEFAULT_MAX_TOKENS = 4_096

/** Parameters that are not listed have no equivalent. */
const PARAMETERS: Readonly<Record<string, Translate>> = {
  max_tokens: without,
  max_completion_tokens: without,
  temperature: (value, name) => {
    if (Number(value) > 1) throw new UntranslatableField(name, 'invalid_value')
    return { temperature: value }
  },
  top_p: unchanged,
  top_k: unchanged,
  stop: (value) => ({ stop_sequences: Array.isArray(value) ? value : [value] }),
  user: (value) => ({ metadata: { user_id: value } }),
  safety_identifier: (value, name, { user }) => {
    if (isSet(user) && user !== value) throw new UntranslatableField(name, 'invalid_value')
    return { metadata: { user_id: value } }
  },
  thinking: unchanged,
  cache_control: unchanged,
  service_tier: (value, name) => ({ service_tier: choose(SERVICE_TIERS, value, name) }),
  reasoning_effort: (value, name) =>
    value === 'none' ? { thinking: { type: 'disabled' } } : { output_config: { effort: choose(EFFORTS, value, name) } },
  response_format: (value) => responseFormat(value as Fields),
  tools: without,
  tool_choice: without,
  parallel_tool_calls: without,
  // Without effect on the completion: hints for another provider, and the stream that the gateway makes itself.
  prompt_cache_key: withoutText,
  prompt_cache_retention: withoutText,
  reasoning_included: without,
  [NAMESPACED_NAMES]: without,
  stream_options: without,
  governance: without,
  // editBody keeps the fields in their places.
  [CARRIED_FIELDS]: without,
  n: only(1),
  logprobs: only(false),
  top_logprobs: only(0),
  presence_penalty: only(0),
  frequency_penalty: only(0),
  store: only(false),
  verbosity: only('medium'),
  modalities: onlyText,
}

const SERVICE_TIERS: Fields = { auto: 'auto', default: 'standard_only' }
const EFFORTS: Fields = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'max' }

function choose(values: Fields, value: unknown, name: string): unknown {
  if (!Object.hasOwn(values, textOf(value))) throw new UntranslatableField(name, 'invalid_value')
  return values[textOf(value)]
}

/** Throws UntranslatableField for the first parameter without an equivalent, except those for tools. */
export const encodeParameters = (parameters: Fields): Fields => ({
  max_tokens: maxTokensOf(parameters) ?? DEFAULT_MAX_TOKENS,
  ...translateParameters(parameters, PARAMETERS),
})

/** The name and the description stand before those of the schema, where the model reads them. */
function responseFormat(format: Fields): Fields {
  const declared = schemaOf(format, ['text'])
  if (!declared) return {}
  const { name, description, schema, strict } = declared
  if (isSet(strict) && typeof strict !== 'boolean')
    throw new UntranslatableField('response_format.json_schema.strict', 'invalid_value')
  const title = joinedLabels(name, schema.title, ': ', 'name')
  const text = joinedLabels(description, schema.description, '\n\n', 'description')
  const labels = { ...(!isEmpty(title) && { title }), ...(!isEmpty(text) && { description: text }) }
  return { output_config: { format: { type: 'json_schema', schema: { ...labels, ...schema, ...labels } } } }
}

/** The label of the format and the schema's own one, if they differ. */
function joinedLabels(label: unknown, own: unknown, between: string, name: string): unknown {
  if (isEmpty(label)) return own
  if (typeof label !== 'string' || (!isEmpty(own) && typeof own !== 'string'))
    throw new UntranslatableField(`response_format.json_schema.${name}`, 'invalid_value')
  return isEmpty(own) || own === label ? label : `${label}${between}${own as string}`
}
