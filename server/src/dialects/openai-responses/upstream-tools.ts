import { type Fields, isObject, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import { allowOnly, UntranslatableField } from '../untranslatable.ts'

const MODES: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

export function encodeTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Fields): Fields {
  const list = (Array.isArray(tools) ? tools : []).map(toolOf)
  return {
    ...(list.length > 0 && { tools: list }),
    ...(isSet(choice) && { tool_choice: choiceOf(choice) }),
    ...(isSet(parallel) && { parallel_tool_calls: parallel }),
  }
}

function toolOf(tool: unknown, index: number): Fields {
  const at = `tools[${index}]`
  if (!isObject(tool)) throw new UntranslatableField(at, 'invalid_value')
  allowOnly(tool, ['type', String(tool.type), 'cache_control'], at)
  if (tool.type === 'function' && isObject(tool.function)) return functionOf(tool.function, `${at}.function`)
  if (tool.type === 'custom' && isObject(tool.custom)) return customOf(tool.custom, `${at}.custom`)
  throw new UntranslatableField(`${at}.type`, 'invalid_value')
}

/** Both APIs have the same fields with other defaults: there, a function has parameters and is strict. */
function functionOf(declared: Fields, at: string): Fields {
  allowOnly(declared, ['name', 'description', 'parameters', 'strict'], at)
  const { name, description, parameters, strict } = declared
  return {
    type: 'function',
    name,
    ...(isSet(description) && { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  }
}

function customOf(declared: Fields, at: string): Fields {
  allowOnly(declared, ['name', 'description', 'format'], at)
  const { name, description, format } = declared
  return {
    type: 'custom',
    name,
    ...(isSet(description) && { description }),
    ...(isSet(format) && { format: formatOf(format, `${at}.format`) }),
  }
}

function formatOf(format: unknown, at: string): Fields {
  if (isObject(format) && format.type === 'text') {
    allowOnly(format, ['type'], at)
    return { type: 'text' }
  }
  if (!isObject(format) || format.type !== 'grammar' || !isObject(format.grammar)) {
    throw new UntranslatableField(`${at}.type`, 'invalid_value')
  }
  allowOnly(format, ['type', 'grammar'], at)
  return { type: 'grammar', ...format.grammar }
}

function choiceOf(choice: unknown): unknown {
  if (MODES.has(choice)) return choice
  if (!isObject(choice)) throw new UntranslatableField('tool_choice', 'invalid_value')
  if (choice.type !== 'allowed_tools') return namedOf(choice, 'tool_choice')
  allowOnly(choice, ['type', 'allowed_tools'], 'tool_choice')
  const { allowed_tools: allowed } = choice
  if (!isObject(allowed) || !Array.isArray(allowed.tools)) {
    throw new UntranslatableField('tool_choice.allowed_tools', 'invalid_value')
  }
  allowOnly(allowed, ['mode', 'tools'], 'tool_choice.allowed_tools')
  const at = 'tool_choice.allowed_tools.tools'
  const tools = allowed.tools.map((tool: unknown, index) => namedOf(tool, `${at}[${index}]`))
  return { type: 'allowed_tools', mode: allowed.mode, tools }
}

function namedOf(tool: unknown, at: string): Fields {
  const type = isObject(tool) ? textOf(tool.type) : ''
  const named = isObject(tool) && (type === 'function' || type === 'custom') ? tool[type] : undefined
  if (!isObject(named) || typeof named.name !== 'string') throw new UntranslatableField(`${at}.type`, 'invalid_value')
  allowOnly(tool as Fields, ['type', type], at)
  allowOnly(named, ['name'], `${at}.${type}`)
  return { type, name: named.name }
}
