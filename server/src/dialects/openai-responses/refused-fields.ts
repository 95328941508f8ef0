import { isObject, RefusedField } from './fields.ts'

/** Values that do not ask for anything: the default of the API, or nothing. */
const isOff = (value: unknown): boolean => value === false || (Array.isArray(value) && value.length === 0)

interface Refusal {
  readonly accepts: (value: unknown) => boolean
  readonly message: string
}

const oneOf = (values: readonly unknown[], why: string): Refusal => ({
  accepts: (value) => values.includes(value),
  message: `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}: ${why}`,
})

const INCLUDABLE: readonly unknown[] = ['reasoning.encrypted_content', 'message.output_text.logprobs']

/** Fields of the API that the gateway cannot carry out, except for these values. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  conversation: {
    accepts: isOff,
    message: 'is not supported: the gateway stores responses, not conversations; use previous_response_id',
  },
  prompt: {
    accepts: isOff,
    message:
      'is not supported: the provider stores its text, which the gateway cannot scan; send the text in instructions or input',
  },
  background: { accepts: isOff, message: 'must be false: the response comes with this request' },
  truncation: oneOf(['disabled'], 'the gateway does not shorten the input'),
  context_management: { accepts: isOff, message: 'is not supported: the gateway does not shorten the input' },
}

const REASONING_REFUSALS: Readonly<Record<string, Refusal>> = {
  summary: oneOf(['auto', 'concise', 'detailed'], 'the API has no others'),
  generate_summary: oneOf(['auto', 'concise', 'detailed'], 'the API has no others'),
  context: oneOf(['auto', 'all_turns'], 'the gateway passes on the reasoning of all turns that the client sends'),
  mode: oneOf(['standard'], 'the chat API of providers has no such choice'),
}

/** Throws RefusedField for the first field with a value that the gateway cannot carry out. */
export function refuseFields(body: Readonly<Record<string, unknown>>): void {
  refuse(body, REFUSALS, '')
  if (isObject(body.reasoning)) refuse(body.reasoning, REASONING_REFUSALS, 'reasoning.')
  if (isObject(body.stream_options) && body.stream_options.include_obfuscation === true) {
    throw new RefusedField('stream_options.include_obfuscation', 'must be false: the gateway does not pad events')
  }
  const { include = [] } = body
  if (!Array.isArray(include)) throw new RefusedField('include', 'must be array')
  const other = include.findIndex((item) => !INCLUDABLE.includes(item))
  if (other >= 0) {
    const names = INCLUDABLE.map((name) => JSON.stringify(name)).join(' or ')
    throw new RefusedField(`include[${other}]`, `must be ${names}: the gateway has no other data to include`)
  }
}

function refuse(fields: Readonly<Record<string, unknown>>, refusals: Readonly<Record<string, Refusal>>, at: string): void {
  for (const [name, value] of Object.entries(fields)) {
    const refusal = Object.hasOwn(refusals, name) ? refusals[name] : undefined
    if (refusal && value !== null && !refusal.accepts(value)) throw new RefusedField(at + name, refusal.message)
  }
}
