import { type Fields, isCount, isObject, isSet, readExtraFields } from '../../platform/lib/untrusted-json.ts'
import type { Completion, Usage } from '../../shared/completion.ts'
import type { ChatMessage } from '../../shared/message.ts'
import { countsOf } from '../../shared/usage.ts'
import { withoutNulls } from '../field-values.ts'
import { finishReasonOf } from '../finish-reason.ts'
import { words } from '../known-fields.ts'
import type { CompletionDefaults } from '../upstream-dialect.ts'
import { type Output, readOutput } from './upstream-output.ts'

/** Fields that are read, that the gateway sets, or that repeat the request. */
const KNOWN_FIELDS = words(
  `id object created_at completed_at status error incomplete_details model output usage output_text created choices governance
   background conversation frequency_penalty include instructions max_output_tokens max_tool_calls metadata parallel_tool_calls
   presence_penalty previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier
   store temperature text tool_choice tools top_logprobs top_p truncation user`,
)
const USAGE_FIELDS = words(
  `input_tokens input_tokens_details output_tokens output_tokens_details total_tokens
   prompt_tokens completion_tokens prompt_tokens_details completion_tokens_details`,
)
const INCOMPLETE: ReadonlySet<string> = new Set(['length', 'content_filter'])
/** Unix seconds, in the year 2106. */
const MAX_CREATED = 2 ** 32

/** Undefined: malformed, also by items of an unknown type, which would reach the client unread or not at all. */
export function readResponse(value: Fields, defaults: CompletionDefaults): Completion | undefined {
  if (value.object !== 'response' || isSet(value.error) || !Array.isArray(value.output)) return undefined
  const output = readOutput(value.output, defaults)
  if (!output) return undefined
  const finish_reason = finishReason(value, output)
  const usage = isSet(value.usage) ? readUsage(value.usage) : null
  const extras = readExtraFields(value, KNOWN_FIELDS)
  if (finish_reason === undefined || usage === undefined || !extras) return undefined
  const { created_at: created } = value
  const choice = { index: 0, message: messageOf(output), finish_reason }
  return {
    ...withoutNulls(extras),
    id: defaults.newId('chatcmpl'),
    object: 'chat.completion',
    created: isCount(created, MAX_CREATED) && created > 0 ? created : defaults.created(),
    model: defaults.model,
    choices: [output.logprobs.length > 0 ? { ...choice, logprobs: { content: output.logprobs, refusal: null } } : choice],
    ...(usage && { usage }),
  }
}

function finishReason({ status, incomplete_details: details }: Fields, { calls }: Output): string | undefined {
  if (status === 'completed') return calls.length > 0 ? 'tool_calls' : 'stop'
  const reason = status === 'incomplete' && isObject(details) ? finishReasonOf(details.reason) : undefined
  return reason !== undefined && INCOMPLETE.has(reason) ? reason : undefined
}

function messageOf({ text, refusal, calls, thoughts, details, annotations, phases }: Output): ChatMessage {
  const hasSubstitute = calls.length > 0 || details.length > 0 || refusal !== ''
  const [phase, ...otherPhases] = phases
  return {
    role: 'assistant',
    content: text === '' && hasSubstitute ? null : text,
    ...(refusal !== '' && { refusal }),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n\n') }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(annotations.length > 0 && { annotations }),
    // The chat API has one message, so texts of different phases have none.
    ...(phase !== undefined && otherPhases.every((other) => other === phase) && { phase }),
  }
}

function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const counts = countsOf(value, value.input_tokens, value.output_tokens)
  if (!counts) return undefined
  const prompt_tokens_details = readDetails(value.input_tokens_details, counts.prompt_tokens)
  const completion_tokens_details = readDetails(value.output_tokens_details, counts.completion_tokens)
  const extras = readExtraFields(value, USAGE_FIELDS)
  if (!extras || !prompt_tokens_details || !completion_tokens_details) return undefined
  return {
    ...withoutNulls(extras),
    ...counts,
    ...(isSet(value.input_tokens_details) && { prompt_tokens_details }),
    ...(isSet(value.output_tokens_details) && { completion_tokens_details }),
  }
}

/** Both APIs have the same names for parts of the tokens. A part is at most the whole. */
function readDetails(value: unknown, whole: number): Fields | undefined {
  if (!isSet(value)) return {}
  const details = isObject(value) ? readExtraFields(value, []) : undefined
  const isValid = details && Object.values(details).every((part) => typeof part !== 'number' || isCount(part, whole))
  return isValid ? withoutNulls(details) : undefined
}
