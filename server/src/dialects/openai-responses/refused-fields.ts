import { refuse } from '../client-fields.ts'
import { type Fields, isObject } from './fields.ts'

interface Refusal {
  readonly accepts: (value: unknown) => boolean
  readonly message: string
}

/** Accepts values that do not ask for anything. */
const off = (message: string): Refusal => ({
  accepts: (value) => value === false || (Array.isArray(value) && value.length === 0),
  message,
})

const oneOf = (values: readonly unknown[], why: string): Refusal => ({
  accepts: (value) => values.includes(value),
  message: `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}: ${why}`,
})

const INCLUDABLE: readonly unknown[] = ['reasoning.encrypted_content', 'message.output_text.logprobs']

/** Fields of the API that the gateway cannot carry out, except for these values. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  conversation: off('is not supported: the gateway stores responses, not conversations; use previous_response_id'),
  prompt: off(
    'is not supported: the provider stores its text, which the gateway cannot scan; send the text in instructions or input',
  ),
  background: off('must be false: the response comes with this request'),
  truncation: oneOf(['disabled'], 'the gateway does not shorten the input'),
  context_management: off('is not supported: the gateway does not shorten the input'),
}

const SUMMARY = oneOf(['auto', 'concise', 'detailed'], 'the API has no others')
const REASONING_REFUSALS: Readonly<Record<string, Refusal>> = {
  summary: SUMMARY,
  generate_summary: SUMMARY,
  context: oneOf(['auto', 'all_turns'], 'the gateway passes on the reasoning of all turns that the client sends'),
  mode: oneOf(['standard'], 'the chat API of providers has no such choice'),
}

export function refuseFields(body: Fields): void {
  refuseOf(body, REFUSALS, '')
  if (isObject(body.reasoning)) refuseOf(body.reasoning, REASONING_REFUSALS, 'reasoning.')
  if (isObject(body.stream_options) && body.stream_options.include_obfuscation === true) {
    refuse('stream_options.include_obfuscation', 'must be false: the gateway does not pad events')
  }
  const { include = [] } = body
  if (!Array.isArray(include)) refuse('include', 'must be array')
  const other = include.findIndex((item) => !INCLUDABLE.includes(item))
  if (other >= 0) {
    const names = INCLUDABLE.map((name) => JSON.stringify(name)).join(' or ')
    refuse(`include[${other}]`, `must be ${names}: the gateway has no other data to include`)
  }
}

function refuseOf(fields: Fields, refusals: Readonly<Record<string, Refusal>>, at: string): void {
  for (const [name, value] of Object.entries(fields)) {
    const refusal = Object.hasOwn(refusals, name) ? refusals[name] : undefined
    if (refusal && value !== null && !refusal.accepts(value)) refuse(at + name, refusal.message)
  }
}
