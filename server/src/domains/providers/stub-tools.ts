import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import type { ChatMessage } from '../../shared/message.ts'

/** A name with a digit, such as an order number. */
const NUMBER = /[\p{L}_-]*\d[\p{L}\p{N}_-]*/u
const MIN_WORD = 4

/**
 * The call of the first function whose name has a word of the prompt: `get_order` for "Where is order 1042?". Each required text is the
 * number of the prompt, or the prompt. undefined: no function fits.
 */
export function stubToolCall(prompt: string, tools: unknown): ChatMessage | undefined {
  const said = new Set(wordsOf(prompt))
  const functions = (Array.isArray(tools) ? tools : []).flatMap((tool) =>
    isObject(tool) && isObject(tool.function) ? [tool.function] : [],
  )
  const called = functions.find(({ name }) => wordsOf(textOf(name)).some((word) => said.has(word)))
  if (called === undefined) return undefined
  const call = { name: textOf(called.name), arguments: JSON.stringify(argumentsOf(called.parameters, prompt)) }
  return { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] }
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(({ length }) => length >= MIN_WORD)

function argumentsOf(parameters: unknown, prompt: string): Fields {
  if (!isObject(parameters) || !isObject(parameters.properties)) return {}
  const required: readonly unknown[] = Array.isArray(parameters.required) ? parameters.required : []
  const texts = Object.entries(parameters.properties).filter(
    ([name, schema]) => required.includes(name) && isObject(schema) && schema.type === 'string',
  )
  return Object.fromEntries(texts.map(([name]) => [name, NUMBER.exec(prompt)?.[0] ?? prompt]))
}
