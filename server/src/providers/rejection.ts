import { VOCABULARY } from '../domain/vocabulary.ts'
import type { HttpFailure } from '../lib/http-request.ts'

/**
 * Why a provider refused a request, in our own words: a closed list, since nothing that a provider writes is shown. The value is
 * what callers read. docs/decisions/0006-providers.md says which provider's words lead to which code.
 */
export const PROVIDER_CODES = {
  context_length_exceeded: "The request is longer than the model's context: shorten the messages, or ask for a shorter answer.",
  too_large: "The request is larger than the provider's limit: make it smaller.",
  content_filter: "The provider's content filter stopped the request.",
  model_not_found: 'The provider does not have this model: choose another, or ask your operator.',
  unsupported_parameter: 'The model does not support one of the parameters: leave it out.',
  invalid_value: 'A parameter has a value that the model does not support: change it.',
  invalid_messages: 'The provider does not accept the order or form of the messages: check roles, tool calls and their results.',
  invalid_tool_schema: 'The provider does not accept a tool, its schema or the response format: check the JSON Schema.',
  invalid_output: "The model's own output fitted neither the tools nor the response format: try again, or simplify the schema.",
  image_invalid: 'The provider cannot read an image or file of the request: check its form, type and size.',
  invalid_request: 'The provider does not accept the request.',
} as const

export type ProviderCode = keyof typeof PROVIDER_CODES

/**
 * What an answer with an error status is about:
 * - `refused`: the request, for the caller to mend.
 * - `key_rejected`, `quota_exhausted`: our own key or account, for the operator to mend.
 * - `rate_limited`: the provider's own limit; it passes.
 */
export type Rejection =
  | { readonly kind: 'refused'; readonly code: ProviderCode; readonly param: string | undefined }
  | { readonly kind: 'key_rejected' | 'quota_exhausted' | 'rate_limited' }

/** Only the operator can end these: the key, the account, the models that are declared. */
export const needsOperator = (rejection: Rejection): boolean =>
  rejection.kind === 'key_rejected' ||
  rejection.kind === 'quota_exhausted' ||
  (rejection.kind === 'refused' && rejection.code === 'model_not_found')

const REFUSALS: ReadonlySet<number> = new Set([400, 404, 413, 422])

/**
 * Reads an answer with an error status; undefined for what says nothing of the request or of us, as an outage. Unknown words end as
 * `invalid_request`, or as what the status alone says.
 */
export function readRejection({ failure, status, body }: HttpFailure): Rejection | undefined {
  if (failure !== 'status') return undefined
  if (status === 401 || status === 403) return { kind: 'key_rejected' }
  if (status === 402) return { kind: 'quota_exhausted' }
  if (status !== 429 && !REFUSALS.has(status)) return undefined
  const said = readError(body)
  const texts = [...said.names, ...said.messages]
  if (texts.some((text) => QUOTA.test(text))) return { kind: 'quota_exhausted' }
  if (status === 429) return { kind: 'rate_limited' }
  if (status === 400 && texts.some((text) => KEY.test(text))) return { kind: 'key_rejected' }
  return { kind: 'refused', code: codeOf(status, said), param: said.param }
}

/** Every text in which a provider says what is wrong; never shown. */
interface Said {
  /** Values of `code`, `type` and the like: the provider's own words. */
  readonly names: readonly string[]
  /** Prose, in which a provider may quote the request. */
  readonly messages: readonly string[]
  /** A path in our own request, built anew. */
  readonly param: string | undefined
}

/** Anchored: a request that is quoted in the middle of a message cannot alarm an operator. */
const QUOTA =
  /^(?:insufficient[_ ](?:quota|balance|credits?|funds)|(?:you )?exceeded your current quota|billing[_ ](?:hard[_ ]limit|not[_ ]active)|your credit balance is too low|payment required)/i
const KEY = /^(?:api[_ ]key[_ ](?:invalid|not valid|expired)|(?:invalid|incorrect)[_ ]api[_ ]key|unauthorized)/i

/** In this order: the more exact first. Words of OpenAI, Azure, vLLM, Mistral, Groq, Together, DeepSeek, Ollama, OpenRouter, Gemini. */
const CODES: readonly (readonly [ProviderCode, RegExp])[] = [
  [
    'context_length_exceeded',
    /context[_ ](?:length|window|limit)|maximum context|prompt is too long|prompt too long|max(?:imum)?[_ ](?:input|prompt)[_ ](?:length|tokens)|input (?:token|length)[^.]{0,60}exceed|too many (?:input )?tokens|longer than the maximum model length|reduce the length|string_above_max_length/i,
  ],
  [
    'content_filter',
    /content[_ ](?:filter|policy|management)|responsibleaipolicy|moderation|flagged|safety (?:system|filter)|data_inspection_failed/i,
  ],
  [
    'model_not_found',
    /model[_ ](?:not[_ ]found|decommissioned|not[_ ]available|is not supported)|deploymentnotfound|unknown model|no (?:allowed )?(?:such model|endpoints found|model)|invalid[_ ]model|model (?:identifier|id)\b|models?\b[^.]{0,120}(?:does not exist|not found|not exist|no longer|has been deprecated|decommissioned|is not a valid)|not a valid model/i,
  ],
  ['invalid_output', /tool_use_failed|json_validate_failed|failed to (?:generate|validate) json|failed to call a function/i],
  [
    'image_invalid',
    /(?:invalid|unsupported|cannot|could not|failed to|too large)[^.]{0,60}\b(?:image|audio|file|pdf|picture)|\b(?:image|file)[^.]{0,80}(?:invalid|unsupported|not (?:supported|valid)|could not|cannot|too large|exceeds)|image_parse_error|invalid_base64|at most \d+ image|not a multimodal/i,
  ],
  [
    'invalid_tool_schema',
    /invalid_function_parameters|function_parameters|\btools?\b[^.]{0,80}(?:schema|parameters|invalid|name)|(?:invalid|unsupported)[^.]{0,40}(?:json ?schema|response_format|schema)|response_format|does not support tools|tool choice|guided|grammar/i,
  ],
  [
    'invalid_messages',
    /invalid_request_message_order|tool_calls? (?:must|ids?)|'tool_calls'|tool_call_id|role 'tool'|roles? must|alternate|(?:last|first) message|message(?:s)? (?:role|order|must)|chat template/i,
  ],
  [
    'unsupported_parameter',
    /unsupported[_ ]parameter|unknown[_ ](?:parameter|field|name)|unrecognized|extra_forbidden|extra (?:inputs|fields)|(?:parameter|property|argument)[^.]{0,120}(?:not supported|unsupported)|not permitted/i,
  ],
  ['too_large', /request_too_large|request entity too large|payload too large|(?:request|body|payload)[^.]{0,40}too large/i],
  [
    'invalid_value',
    /unsupported[_ ]value|invalid[_ ](?:value|type)|(?:integer|decimal)_(?:above|below)|must be (?:less|greater|between|a |an |one of)|less_than|greater_than|out of range|is too (?:large|small)|max_tokens/i,
  ],
]

function codeOf(status: number, { names, messages }: Said): ProviderCode {
  const named = firstCode(names)
  if (named !== undefined && named !== 'invalid_value') return named
  const code = firstCode(messages) ?? named
  if (code !== undefined) return code
  if (status === 404) return 'model_not_found'
  return status === 413 ? 'too_large' : 'invalid_request'
}

const firstCode = (texts: readonly string[]): ProviderCode | undefined =>
  CODES.find(([, expression]) => texts.some((text) => expression.test(text)))?.[0]

/** Longest text of a provider that is looked at; what it has to say stands at the beginning. */
const MAX_WORDS = 4_000
const MAX_LEVELS = 10

/**
 * The forms: `{error: {message, type, code, param}}` (OpenAI and most), the same without `error` (vLLM), in a list (Gemini), with
 * `innererror` (Azure), with `metadata.raw` as JSON in a string (OpenRouter), `{error: "…"}` (Ollama), `{detail: [{loc, msg, type}]}`
 * (FastAPI, Mistral). Names differ, so every text counts.
 */
function readError(body: Buffer | undefined): Said {
  const value = parse(body)
  const names: string[] = []
  const messages: string[] = []
  let param: string | undefined
  let left = MAX_WORDS
  const read = (value: unknown, name: string, levels: number): void => {
    if (levels === 0 || left <= 0) return
    if (name === 'param' || name === 'loc') param ??= paramOf(value)
    if (typeof value === 'string') {
      const inner = name === 'raw' ? parse(Buffer.from(value)) : undefined
      if (inner !== undefined) {
        read(inner, '', levels - 1)
        return
      }
      const text = value.slice(0, left)
      left -= text.length + 1
      if (NAMES.has(name)) names.push(text)
      else if (name !== 'param' && name !== 'loc' && name !== 'input') messages.push(text)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) read(item, Array.isArray(value) ? name : key, levels - 1)
    }
  }
  if (value === undefined) messages.push(body?.toString('utf8').slice(0, MAX_WORDS) ?? '')
  else read(value, '', MAX_LEVELS)
  return { names, messages, param }
}

const NAMES: ReadonlySet<string> = new Set(['code', 'type', 'status', 'reason', 'error_code'])

function parse(body: Buffer | undefined): unknown {
  if (!body) return undefined
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** `messages.[3].content`, `messages[3].content`, `["body", "messages", 3]`: each step is a number or one of the API's own words. */
function paramOf(value: unknown): string | undefined {
  const steps = Array.isArray(value) ? value.filter((step, index) => index > 0 || step !== 'body') : textSteps(value)
  if (steps.length === 0 || steps.length > MAX_STEPS) return undefined
  let path = ''
  for (const step of steps) {
    const text = String(step)
    if (/^\d{1,5}$/.test(text) && path !== '') path += `[${text}]`
    else if (REQUEST_WORDS.has(text) || VOCABULARY.has(text)) path += path === '' ? text : `.${text}`
    else return path === '' || path === 'messages' ? undefined : path
  }
  return path
}

const MAX_STEPS = 12
const REQUEST_WORDS: ReadonlySet<string> = new Set(['model', 'messages', 'stream'])

const textSteps = (value: unknown): readonly string[] =>
  typeof value === 'string' && value.length <= 200 ? value.split(/[.[\]]+/).filter((step) => step !== '') : []

/** `param` as the caller counts: the gateway may have put `before` messages in front. Undefined for a message of our own. */
export function toClientParam(param: string | undefined, before: number): string | undefined {
  const match = /^messages\[(\d+)\](.*)$/.exec(param ?? '')
  if (!match) return param
  const index = Number(match[1]) - before
  return index < 0 ? undefined : `messages[${index}]${match[2]}`
}
