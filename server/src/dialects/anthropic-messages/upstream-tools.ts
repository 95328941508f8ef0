import { type Fields, isObject, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import { allowOnly, UntranslatableField } from '../untranslatable.ts'
import { cacheControl } from './upstream-content.ts'

const MODES: Readonly<Record<string, string>> = { auto: 'auto', none: 'none', required: 'any' }

/** `tools` and `tool_choice` of the API; absent if the request has no tools. */
export function encodeTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Fields): {
  readonly tools?: readonly Fields[]
  readonly tool_choice?: Fields
} {
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

function toolOf(tool: unknown, index: number): Fields {
  const at = `tools[${index}]`
  if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) {
    throw new UntranslatableField(`${at}.type`, 'invalid_value')
  }
  allowOnly(tool, ['type', 'function', 'cache_control'], at)
  allowOnly(tool.function, ['name', 'description', 'parameters', 'strict'], `${at}.function`)
  const { name, description, parameters, strict } = tool.function
  if (isSet(parameters) && !isObject(parameters)) throw new UntranslatableField(`${at}.function.parameters`, 'invalid_value')
  if (isSet(strict) && typeof strict !== 'boolean') throw new UntranslatableField(`${at}.function.strict`, 'invalid_value')
  return {
    name,
    ...(isSet(description) && { description }),
    input_schema: { type: 'object', ...(isObject(parameters) ? parameters : { properties: {} }) },
    ...(strict === true && { strict }),
    ...cacheControl(tool),
  }
}

function choiceOf(choice: unknown): { readonly type: string; readonly name?: string; readonly allowed?: readonly string[] } {
  if (!isSet(choice)) return { type: 'auto' }
  if (typeof choice === 'string') return { type: modeOf(choice, 'tool_choice') }
  const { type, allowed_tools: allowed } = choice as Fields
  if (type === 'function') return { type: 'tool', name: calledName(choice, 'tool_choice') }
  if (type !== 'allowed_tools' || !isObject(allowed) || !Array.isArray(allowed.tools)) {
    throw new UntranslatableField('tool_choice.type', 'invalid_value')
  }
  allowOnly(choice as Fields, ['type', 'allowed_tools'], 'tool_choice')
  allowOnly(allowed, ['mode', 'tools'], 'tool_choice.allowed_tools')
  const names = allowed.tools.map((tool, index) => calledName(tool, `tool_choice.allowed_tools.tools[${index}]`))
  return { type: modeOf(textOf(allowed.mode), 'tool_choice.allowed_tools.mode'), allowed: names }
}

function calledName(choice: unknown, at: string): string {
  const called = isObject(choice) && choice.type === 'function' ? choice.function : undefined
  if (!isObject(choice) || !isObject(called) || typeof called.name !== 'string') {
    throw new UntranslatableField(`${at}.type`, 'invalid_value')
  }
  allowOnly(choice, ['type', 'function'], at)
  allowOnly(called, ['name'], `${at}.function`)
  return called.name
}

function modeOf(mode: string, at: string): string {
  const type = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined
  if (type === undefined) throw new UntranslatableField(at, 'invalid_value')
  return type
}

/** The API has no list of allowed tools: the model gets these only. */
function allowedTools(tools: readonly Fields[], names: readonly string[]): readonly Fields[] {
  const unknown = names.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined || names.length === 0)
    throw new UntranslatableField('tool_choice.allowed_tools.tools', 'invalid_value')
  return tools.filter(({ name }) => names.includes(textOf(name)))
}
