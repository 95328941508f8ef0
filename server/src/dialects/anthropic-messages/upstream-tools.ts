import { type Fields, isObject, isSet, textOf } from '../../lib/untrusted-json.ts'
import { allowOnly, type Block, cacheControl, UntranslatableField } from './upstream-fields.ts'

/** `tools` and `tool_choice` of the API; absent if the request has no tools. */
export interface EncodedTools {
  readonly tools?: readonly Block[]
  readonly tool_choice?: Block
}

const TOOL_FIELDS = new Set(['type', 'function', 'cache_control'])
const FUNCTION_FIELDS = new Set(['name', 'description', 'parameters', 'strict'])
const MODES: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'any' }

/** Translates `tools`, `tool_choice` and `parallel_tool_calls`. */
export function encodeTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Fields): EncodedTools {
  const list = (Array.isArray(tools) ? tools : []).map(toolOf)
  if (list.length === 0) {
    if (isSet(choice) && choice !== 'auto' && choice !== 'none') throw new UntranslatableField('tool_choice', 'invalid_value')
    return {}
  }
  const { type, allowed, ...chosen } = choiceOf(choice)
  const isSerial = parallel === false && type !== 'none'
  return {
    tools: allowed ? allowedTools(list, allowed) : list,
    ...((isSet(choice) || isSerial) && {
      tool_choice: { type, ...chosen, ...(isSerial && { disable_parallel_tool_use: true }) },
    }),
  }
}

function toolOf(tool: unknown, index: number): Block {
  const at = `tools[${index}]`
  if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) {
    throw new UntranslatableField(`${at}.type`, 'invalid_value')
  }
  allowOnly(tool, TOOL_FIELDS, at)
  allowOnly(tool.function, FUNCTION_FIELDS, `${at}.function`)
  const { name, description, parameters, strict } = tool.function
  return {
    name,
    ...(isSet(description) && { description }),
    input_schema: { type: 'object', ...(isObject(parameters) ? parameters : { properties: {} }) },
    ...(strict === true && { strict }),
    ...cacheControl(tool),
  }
}

interface Choice {
  readonly type: string
  readonly name?: string
  /** Names of the only tools that may be called. */
  readonly allowed?: readonly string[]
}

function choiceOf(choice: unknown): Choice {
  if (!isSet(choice)) return { type: 'auto' }
  if (typeof choice === 'string') return { type: modeOf(choice, 'tool_choice') }
  const { type, function: called, allowed_tools: allowed } = choice as Fields
  if (type === 'function' && isObject(called) && typeof called.name === 'string') return { type: 'tool', name: called.name }
  if (type !== 'allowed_tools' || !isObject(allowed) || !Array.isArray(allowed.tools)) {
    throw new UntranslatableField('tool_choice.type', 'invalid_value')
  }
  const names = allowed.tools.map((tool: unknown) =>
    isObject(tool) && isObject(tool.function) ? textOf(tool.function.name) : '',
  )
  return { type: modeOf(textOf(allowed.mode), 'tool_choice.allowed_tools.mode'), allowed: names }
}

function modeOf(mode: string, at: string): string {
  const type = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined
  if (type === undefined) throw new UntranslatableField(at, 'invalid_value')
  return type
}

/** The API has no list of allowed tools: the model gets these only. */
function allowedTools(tools: readonly Block[], names: readonly string[]): readonly Block[] {
  const unknown = names.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined || names.length === 0)
    throw new UntranslatableField('tool_choice.allowed_tools.tools', 'invalid_value')
  return tools.filter(({ name }) => names.includes(textOf(name)))
}
