import type { Unsupported } from '../../dialects/upstream-dialect.ts'
import type { HttpFailure } from '../../platform/lib/http-request.ts'
import { VOCABULARY } from '../../shared/vocabulary.ts'

/** Why a provider refuses a request, with the text for clients, who never get its own (decision 0006, "Codes instead of texts"). */
export const PROVIDER_CODES = {
  context_length_exceeded:
    "The request is longer than the model's context. Shorten the messages, or request a shorter completion.",
  too_large: "The request is larger than the provider's limit. Send a smaller request.",
  content_filter: "The provider's content filter stopped the request.",
  model_not_found: 'The provider does not have this model. Choose another model, or ask your operator.',
  unsupported_parameter: 'The model does not support one of the parameters. Remove it.',
  invalid_value: 'The model does not support the value of a parameter. Change the value.',
  invalid_messages: 'The provider does not accept the order or form of the messages. Check roles, tool calls and tool results.',
  invalid_tool_schema: 'The provider does not accept a tool, its schema or the response format. Check the JSON Schema.',
  invalid_output: "The model's output does not match the tools or the response format. Try again, or simplify the schema.",
  image_invalid: 'The provider cannot read an image or file of the request. Check its format, type and size.',
  invalid_request: 'The provider does not accept the request.',
} as const

export type ProviderCode = keyof typeof PROVIDER_CODES

/**
 * The meaning of a response with an error status:
 * - `refused`: the request is wrong. The client can change it.
 * - `key_rejected`, `quota_exhausted`: the gateway's key or account is wrong. An operator can resolve it.
 * - `rate_limited`: the provider's own limit is reached. A later request can succeed.
 * - `unsupported`: the request was not sent, because the provider's API has no equivalent of a field.
 */
export type Rejection =
  | { readonly kind: 'refused'; readonly code: ProviderCode; readonly param: string | undefined }
  | { readonly kind: 'key_rejected' | 'quota_exhausted' | 'rate_limited' }
  | ({ readonly kind: 'unsupported' } & Unsupported)

/** Whether only an operator can resolve it: the key, the account or the configured models are wrong. */
export const needsOperator = (rejection: Rejection): boolean =>
  rejection.kind === 'key_rejected' ||
  rejection.kind === 'quota_exhausted' ||
  (rejection.kind === 'refused' && rejection.code === 'model_not_found')

const REFUSAL_STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 422])

type ErrorResponse = Pick<HttpFailure, 'ok' | 'status' | 'body'> & { readonly failure: string }

/** undefined: an outage. An unknown error text becomes the code of the status, or `invalid_request`. */
export function readRejection({ failure, status, body }: ErrorResponse): Rejection | undefined {
  if (failure !== 'status') return undefined
  if (status === 401 || status === 403) return { kind: 'key_rejected' }
  if (status === 402) return { kind: 'quota_exhausted' }
  if (status !== 429 && !REFUSAL_STATUSES.has(status)) return undefined
  const error = readError(body)
  const texts = [...error.codes, ...error.messages]
  if (texts.some((text) => QUOTA.test(text))) return { kind: 'quota_exhausted' }
  if (status === 429) return { kind: 'rate_limited' }
  if (status === 400 && texts.some((text) => KEY.test(text))) return { kind: 'key_rejected' }
  return { kind: 'refused', code: codeOf(status, error), param: error.param }
}

interface ErrorTexts {
  readonly codes: readonly string[]
  /** They may quote the request. */
  readonly messages: readonly string[]
  /** A path in the request, rebuilt from words of the API. */
  readonly param: string | undefined
}

/** These match at the start of a text only, so that a quoted request cannot cause an alarm for operators. */
const QUOTA =
  /^(?:insufficient[_ ](?:quota|balance|credits?|funds)|(?:you )?exceeded your current quota|billing[_ ](?:hard[_ ]limit|not[_ ]active)|your credit balance is too low|payment required)/i
const KEY = /^(?:api[_ ]key[_ ](?:invalid|not valid|expired)|(?:invalid|incorrect)[_ ]api[_ ]key|unauthorized)/i

/** The first match counts, so the most specific codes come first. Words of OpenAI, Azure, vLLM, Mistral, Groq, Together, DeepSeek, Ollama, OpenRouter, Gemini, Anthropic. */
const CODES: Partial<Record<ProviderCode, RegExp>> = {
  context_length_exceeded:
    /context[_ ](?:length|window|limit)|maximum context|prompt is too long|prompt too long|max(?:imum)?[_ ](?:input|prompt)[_ ](?:length|tokens)|input (?:token|length)[^.]{0,60}exceed|too many (?:input )?tokens|longer than the maximum model length|reduce the length|string_above_max_length/i,
  content_filter:
    /content[_ ](?:filter|policy|management)|responsibleaipolicy|moderation|flagged|safety (?:system|filter)|data_inspection_failed/i,
  model_not_found:
    /model[_ ](?:not[_ ]found|decommissioned|not[_ ]available|is not supported)|deploymentnotfound|unknown model|no (?:allowed )?(?:such model|endpoints found|model)|invalid[_ ]model|model (?:identifier|id)\b|models?\b[^.]{0,120}(?:does not exist|not found|not exist|no longer|has been deprecated|decommissioned|is not a valid)|not a valid model/i,
  invalid_output: /tool_use_failed|json_validate_failed|failed to (?:generate|validate) json|failed to call a function/i,
  image_invalid:
    /(?:invalid|unsupported|cannot|could not|failed to|too large)[^.]{0,60}\b(?:image|audio|file|pdf|picture)|\b(?:image|file)[^.]{0,80}(?:invalid|unsupported|not (?:supported|valid)|could not|cannot|too large|exceeds)|image_parse_error|invalid_base64|at most \d+ image|not a multimodal/i,
  invalid_tool_schema:
    /invalid_function_parameters|function_parameters|\btools?\b[^.]{0,80}(?:schema|parameters|invalid|name)|(?:invalid|unsupported)[^.]{0,40}(?:json ?schema|response_format|schema)|response_format|does not support tools|input_schema|output_config\.format|tool choice|guided|grammar/i,
  invalid_messages:
    /invalid_request_message_order|tool_use.{0,3} (?:ids|blocks)|tool_result|thinking.{0,3} blocks?|tool_calls? (?:must|ids?)|'tool_calls'|tool_call_id|role 'tool'|roles? must|alternate|(?:last|first) message|message(?:s)? (?:role|order|must)|chat template/i,
  unsupported_parameter:
    /unsupported[_ ]parameter|unknown[_ ](?:parameter|field|name)|unrecognized|extra_forbidden|extra (?:inputs|fields)|(?:parameter|property|argument)[^.]{0,120}(?:not supported|unsupported)|not permitted/i,
  too_large: /request_too_large|request entity too large|payload too large|(?:request|body|payload)[^.]{0,40}too large/i,
  invalid_value:
    /unsupported[_ ]value|invalid[_ ](?:value|type)|(?:integer|decimal)_(?:above|below)|must be (?:less|greater|between|a |an |one of)|less_than|greater_than|out of range|is too (?:large|small)|max_tokens/i,
}
const CODE_ENTRIES = Object.entries(CODES) as [ProviderCode, RegExp][]

/** A message may be more specific than the code `invalid_value`. */
function codeOf(status: number, { codes, messages }: ErrorTexts): ProviderCode {
  const providerCode = findCode(codes)
  if (providerCode !== undefined && providerCode !== 'invalid_value') return providerCode
  const code = findCode(messages) ?? providerCode
  if (code !== undefined) return code
  if (status === 404) return 'model_not_found'
  return status === 413 ? 'too_large' : 'invalid_request'
}

const findCode = (texts: readonly string[]): ProviderCode | undefined =>
  CODE_ENTRIES.find(([, expression]) => texts.some((text) => expression.test(text)))?.[0]

const MAX_CHARACTERS = 4_000
const MAX_LEVELS = 10

/**
 * Known forms: `{error: {message, type, code, param}}` (OpenAI and most), the same without `error` (vLLM), in a list (Gemini), with
 * `innererror` (Azure), with `metadata.raw` as JSON in a string (OpenRouter), `{error: "…"}` (Ollama), `{detail: [{loc, msg, type}]}`
 * (FastAPI, Mistral). Because field names differ, all texts are read.
 */
function readError(body: Buffer | undefined): ErrorTexts {
  const value = parseObject(body)
  const codes: string[] = []
  const messages: string[] = []
  let param: string | undefined
  let left = MAX_CHARACTERS
  const read = (value: unknown, name: string, levels: number): void => {
    if (levels === 0 || left <= 0) return
    if (name === 'param' || name === 'loc') param ??= paramOf(value)
    if (typeof value === 'string') {
      const inner = name === 'raw' ? parseObject(Buffer.from(value)) : undefined
      if (inner !== undefined) return void read(inner, '', levels - 1)
      const text = value.slice(0, left)
      left -= text.length + 1
      if (CODE_FIELDS.has(name)) codes.push(text)
      else if (name !== 'param' && name !== 'loc' && name !== 'input') messages.push(text)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) read(item, Array.isArray(value) ? name : key, levels - 1)
    }
  }
  if (value === undefined) messages.push(body?.toString('utf8').slice(0, MAX_CHARACTERS) ?? '')
  else read(value, '', MAX_LEVELS)
  return { codes, messages, param }
}

const CODE_FIELDS: ReadonlySet<string> = new Set(['code', 'type', 'status', 'reason', 'error_code'])

function parseObject(body: Buffer | undefined): unknown {
  if (!body) return undefined
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** `messages.[3].content`, `messages[3].content`, `["body", "messages", 3]`: a path of numbers and words of the API. Other words end the path. */
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
const REQUEST_WORDS: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'dimensions', 'encoding_format'])

const textSteps = (value: unknown): readonly string[] =>
  typeof value === 'string' && value.length <= 200 ? value.split(/[.[\]]+/).filter((step) => step !== '') : []

/** Converts the index of a message to the client's count. Returns undefined for one of the `addedMessages` that the gateway has put first. */
export function toClientParam(param: string | undefined, addedMessages: number): string | undefined {
  const match = /^messages\[(\d+)\](.*)$/.exec(param ?? '')
  if (!match) return param
  const index = Number(match[1]) - addedMessages
  return index < 0 ? undefined : `messages[${index}]${match[2]}`
}
