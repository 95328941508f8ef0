import { words } from './known-fields.ts'

/** Names of servers for the finish reasons of the chat API, in lower case and without hyphens. */
const REASONS: Readonly<Record<string, string>> = {
  ...named('stop', 'stop stop_sequence end_turn eos eos_token end_of_sequence end complete completed finish finished'),
  ...named(
    'length',
    `length model_length max_length max_tokens max_output_tokens max_new_tokens max_context_length error_limit
     model_context_window_exceeded context_window_exceeded context_length_exceeded token_limit`,
  ),
  ...named('tool_calls', 'tool_calls tool_call tool_use'),
  ...named('function_call', 'function_call'),
  ...named(
    'content_filter',
    `content_filter content_filtered sensitive safety image_safety recitation refusal error_toxic blocklist prohibited_content spii
     model_armor guardrail_intervened moderation blocked`,
  ),
}

function named(reason: string, names: string): Readonly<Record<string, string>> {
  return Object.fromEntries(words(names).map((name) => [name, reason]))
}

/** The server has broken the response off: a fault, or a turn that only the server could continue. */
const BROKEN_OFF =
  /error|fail|fault|abort|cancel|interrupt|timeout|timed_?out|unavailable|insufficient|overload|malformed|unexpected|pause|disconnect/

const SHAPE = /^[\w-]{1,64}$/

/** undefined: the response was broken off. A reason that is not known becomes `length`, because the response may not be complete. */
export function finishReasonOf(reason: unknown): string | undefined {
  if (reason === 'stop') return reason
  if (typeof reason !== 'string' || !SHAPE.test(reason)) return undefined
  const name = reason.toLowerCase().replaceAll('-', '_')
  if (Object.hasOwn(REASONS, name)) return REASONS[name]
  return BROKEN_OFF.test(name) ? undefined : 'length'
}
