import { type Fields, isObject, textOf } from '../platform/lib/untrusted-json.ts'
import type { ChatMessage } from './message.ts'

export interface ToolCall {
  /** Empty if the call has none. */
  readonly name: string
  /** A JSON text as the model wrote it, or decoded. */
  readonly arguments: string | Fields
}

export const toolCallsOf = (messages: readonly ChatMessage[]): readonly ToolCall[] =>
  messages.flatMap(({ tool_calls: calls, function_call: call }) => [
    ...(Array.isArray(calls) ? calls.flatMap(readCall) : []),
    ...(isObject(call) ? [readFunction(call)] : []),
  ])

/** A call with both forms counts as two, because its reader may take either. */
function readCall(call: unknown): readonly ToolCall[] {
  if (!isObject(call)) return []
  const { function: called, custom } = call
  const forms = [...(isObject(called) ? [readFunction(called)] : []), ...(isObject(custom) ? [readCustom(custom)] : [])]
  return forms.length > 0 ? forms : [readFunction(call)]
}

function readFunction({ name, arguments: given = '' }: Fields): ToolCall {
  const readable = typeof given === 'string' || isObject(given)
  return { name: textOf(name), arguments: readable ? given : JSON.stringify(given) }
}

const readCustom = ({ name, input }: Fields): ToolCall => ({ name: textOf(name), arguments: { input: textOf(input) } })

/** An empty text is an empty object. One that is not a JSON object is `{input: <text>}`, like the input of a custom tool. */
export function decodeArguments(text: string): Fields {
  if (text.trim() === '') return {}
  const value = parse(text)
  return isObject(value) ? value : { input: text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Each once. A tool without a name counts with an empty one, so that a list of allowed names does not admit it. */
export function toolNamesOf({ tools, tool_choice: choice }: Fields): readonly string[] {
  const offered = Array.isArray(tools) ? tools.flatMap(namesOf) : []
  return [...new Set([...offered, ...namesOfChoice(choice)])]
}

function namesOfChoice(choice: unknown): readonly string[] {
  if (!isObject(choice)) return []
  const { allowed_tools: allowed } = choice
  if (choice.type !== 'allowed_tools' && !isObject(allowed)) return namesOf(choice)
  const { tools } = isObject(allowed) ? allowed : choice
  return Array.isArray(tools) ? tools.flatMap(namesOf) : []
}

/** Providers read the name in the object that the type names, or next to the type. */
function namesOf(tool: unknown): readonly string[] {
  if (!isObject(tool)) return ['']
  const names = [tool, tool.function, tool.custom].flatMap((form) =>
    isObject(form) && typeof form.name === 'string' ? form.name : [],
  )
  return names.length > 0 ? names : ['']
}
