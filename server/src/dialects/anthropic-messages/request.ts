import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { MOST_TOKENS } from '../../shared/output-limits.ts'
import { RefusedField, refuse, type Sources } from '../client-fields.ts'
import { words } from '../known-fields.ts'
import { decodeMessage, decodeSystem, type Translated } from './content.ts'
import { booleanAt, fieldsAt, itemsAt, oneOf, refuseOthers, textAt } from './fields.ts'

const KNOWN = words(
  `model messages system max_tokens stream governance temperature top_p top_k stop_sequences tools tool_choice metadata thinking
   output_config output_format service_tier context_management`,
)

/** The chat body, and for its fields and messages what they were made from. Throws RefusedField. */
export function decodeBody(value: unknown) {
  const body = fieldsAt(value, '')
  refuseOthers(body, KNOWN, '')
  refuseContextEdits(body.context_management)
  const system = decodeSystem(body.system)
  const messages = itemsAt(body.messages, 'messages').map((message, at) => decodeMessage(message, `messages[${at}]`))
  const translated = [...system, ...messages.flat()]
  return {
    sources: sourcesOf(translated, body.tools),
    origins: [...system.map(() => 'system' as const), ...messages.flatMap((each, at) => each.map(() => ({ from: at, to: at })))],
    chat: {
      model: body.model,
      messages: translated.map(({ message }) => message),
      max_tokens: body.max_tokens ?? refuse('max_tokens', 'is required'),
      stream: body.stream,
      governance: body.governance,
      temperature: body.temperature,
      top_p: body.top_p,
      top_k: body.top_k,
      stop: body.stop_sequences,
      user: userOf(body.metadata),
      service_tier: body.service_tier === 'standard_only' ? 'default' : body.service_tier,
      reasoning_effort: effortOf(body),
      response_format: formatOf(body),
      ...decodeTools(body.tools),
      ...decodeChoice(body.tool_choice),
    },
  }
}

const FIELD_NAMES = [
  ['stop', 'stop_sequences'],
  ['user', 'metadata.user_id'],
  ['reasoning_effort', 'output_config.effort'],
  ['response_format', 'output_config.format'],
  ['response_format.json_schema', 'output_config.format'],
  ['tool_choice.function', 'tool_choice'],
  ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
] as const

function sourcesOf(translated: readonly Translated[], tools: unknown): Sources {
  const sources: Sources = new Map(FIELD_NAMES)
  for (const at of Array.isArray(tools) ? tools.keys() : []) {
    sources.set(`tools[${at}].function`, `tools[${at}]`)
    sources.set(`tools[${at}].function.parameters`, `tools[${at}].input_schema`)
  }
  for (const [index, { path, places = [] }] of translated.entries()) {
    sources.set(`messages[${index}]`, path)
    for (const [place, source] of places) sources.set(`messages[${index}].${place}`, source)
  }
  return sources
}

function userOf(metadata: unknown): unknown {
  if (metadata == null) return undefined
  const fields = fieldsAt(metadata, 'metadata')
  refuseOthers(fields, ['user_id'], 'metadata')
  return fields.user_id
}

const LOW_BUDGET = 4_096
const MEDIUM_BUDGET = 16_384

/** The chat API has levels where this API has a budget. */
function effortOf({ thinking, output_config: config }: Fields): unknown {
  const chosen = isObject(config) ? config.effort : undefined
  if (thinking == null) return chosen ?? undefined
  const { type, budget_tokens: budget, display, block_binding: binding, ...others } = fieldsAt(thinking, 'thinking')
  refuseOthers(type === 'enabled' ? others : { ...others, budget_tokens: budget }, [], 'thinking')
  if (display != null) oneOf(display, ['summarized', 'omitted', 'updates'], 'thinking.display')
  refuseBinding(binding)
  if (type === 'disabled' || type === 'adaptive') return chosen ?? undefined
  if (type !== 'enabled') throw new RefusedField('thinking.type', 'must be "enabled", "adaptive" or "disabled"')
  // No detector reads it, so it must not be large enough to hold personal data.
  if (typeof budget !== 'number' || !Number.isInteger(budget) || budget < 0 || budget > MOST_TOKENS)
    refuse('thinking.budget_tokens', `must be an integer from 0 to ${MOST_TOKENS}`)
  if (chosen != null) return chosen
  return budget <= LOW_BUDGET ? 'low' : budget <= MEDIUM_BUDGET ? 'medium' : 'high'
}

/** Tells the provider how to treat thinking that belongs to another conversation. */
function refuseBinding(value: unknown): void {
  if (value == null) return
  const { prefix_mismatch_behavior: behavior, ...others } = fieldsAt(value, 'thinking.block_binding')
  refuseOthers(others, [], 'thinking.block_binding')
  if (behavior != null) oneOf(behavior, ['error', 'drop_block'], 'thinking.block_binding.prefix_mismatch_behavior')
}

function formatOf({ output_config: config, output_format: format }: Fields): Fields | undefined {
  if (config != null) refuseOthers(fieldsAt(config, 'output_config'), ['effort', 'format'], 'output_config')
  if (format != null && isObject(config) && config.format != null)
    throw new RefusedField('output_format', 'must not be sent together with output_config.format')
  const path = format == null ? 'output_config.format' : 'output_format'
  const asked = format ?? (isObject(config) ? config.format : undefined)
  if (asked == null) return undefined
  const { type, schema, ...others } = fieldsAt(asked, path)
  refuseOthers(others, [], path)
  if (type !== 'json_schema') throw new RefusedField(`${path}.type`, 'must be "json_schema"')
  return {
    type: 'json_schema',
    json_schema: { name: 'output', schema: fieldsAt(schema, `${path}.schema`), strict: true },
  }
}

/** Edits that keep everything change nothing; the gateway makes no others. */
function refuseContextEdits(value: unknown): void {
  if (value == null) return
  const { edits, ...others } = fieldsAt(value, 'context_management')
  refuseOthers(others, [], 'context_management')
  for (const [at, edit] of itemsAt(edits ?? [], 'context_management.edits').entries()) {
    const path = `context_management.edits[${at}]`
    if (!isObject(edit) || edit.keep !== 'all')
      throw new RefusedField(path, 'is not supported by the gateway: send the edited messages')
    refuseOthers(edit, ['type', 'keep'], path)
    oneOf(edit.type, ['clear_thinking_20251015', 'clear_tool_uses_20250919'], `${path}.type`)
  }
}

function decodeTools(value: unknown): Fields {
  if (value == null) return {}
  const tools = itemsAt(value, 'tools').map((tool, at) => decodeTool(fieldsAt(tool, `tools[${at}]`), `tools[${at}]`))
  return tools.length > 0 ? { tools } : {}
}

function decodeTool(tool: Fields, path: string): Fields {
  if (tool.type != null && tool.type !== 'custom')
    throw new RefusedField(`${path}.type`, 'must be "custom": tools that the provider runs are not governed yet')
  const { name, description, input_schema: parameters } = tool
  const strict = tool.strict == null ? undefined : booleanAt(tool.strict, `${path}.strict`)
  booleanAt(tool.eager_input_streaming, `${path}.eager_input_streaming`)
  // Streams follow the verdict, so `eager_input_streaming` changes nothing.
  const unchanged = ['eager_input_streaming', ...(tool.defer_loading === false ? ['defer_loading'] : [])]
  const direct = Array.isArray(tool.allowed_callers) && tool.allowed_callers.every((caller) => caller === 'direct')
  const known = ['type', 'name', 'description', 'input_schema', 'strict', ...unchanged, ...(direct ? ['allowed_callers'] : [])]
  refuseOthers(tool, known, path)
  return {
    type: 'function',
    function: {
      name: textAt(name, `${path}.name`),
      ...(description != null && { description: textAt(description, `${path}.description`) }),
      parameters: fieldsAt(parameters, `${path}.input_schema`),
      ...(strict !== undefined && { strict }),
    },
  }
}

const CHOICES: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['any', 'required'],
  ['none', 'none'],
])

function decodeChoice(value: unknown): Fields {
  if (value == null) return {}
  const choice = fieldsAt(value, 'tool_choice')
  const { type, name } = choice
  refuseOthers(choice, ['type', 'disable_parallel_tool_use', ...(type === 'tool' ? ['name'] : [])], 'tool_choice')
  const isSingle = booleanAt(choice.disable_parallel_tool_use, 'tool_choice.disable_parallel_tool_use')
  const tool_choice =
    type === 'tool' ? { type: 'function', function: { name: textAt(name, 'tool_choice.name') } } : CHOICES.get(textOf(type))
  if (tool_choice === undefined) throw new RefusedField('tool_choice.type', 'must be "auto", "any", "tool" or "none"')
  return { tool_choice, ...(isSingle && { parallel_tool_calls: false }) }
}
