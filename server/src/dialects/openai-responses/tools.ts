import { Type } from 'typebox'
import type { Sources } from '../sources.ts'
import { byType, type Fields, isObject, listOf, NOT_CARRIED, RefusedField, reader } from './fields.ts'

const text = Type.String()
const optionalText = Type.Optional(text)
const anyObject = Type.Object({}, { additionalProperties: true })
const optionalFalse = Type.Optional(Type.Boolean())

const readFunction = reader({
  type: text,
  name: text,
  description: optionalText,
  parameters: Type.Optional(anyObject),
  strict: Type.Optional(Type.Boolean()),
  async: optionalFalse,
  defer_loading: optionalFalse,
})
const readCustom = reader({
  type: text,
  name: text,
  description: optionalText,
  format: Type.Optional(Type.Unknown()),
  async: optionalFalse,
  defer_loading: optionalFalse,
})
const readTextFormat = reader({ type: text })
const readGrammar = reader({ type: text, definition: text, syntax: text })
const readChoice = reader({ type: text, name: text })
const readAllowed = reader({ type: text, mode: text, tools: Type.Array(Type.Unknown()) })

type Translate = (value: unknown, at: string) => Fields

const TOOLS: Readonly<Record<string, Translate>> = {
  function: (tool, at) => {
    const { type, async: isAsync, defer_loading, ...definition } = readFunction(tool, at)
    refuseDeferred(at, isAsync, defer_loading)
    return { type, function: definition }
  },
  custom: (tool, at) => {
    const { type, async: isAsync, defer_loading, format, ...definition } = readCustom(tool, at)
    refuseDeferred(at, isAsync, defer_loading)
    const path = `${at}.format`
    const translated = format === undefined ? undefined : byType(FORMATS, format, path, 'there are no others')(format, path)
    return { type, custom: { ...definition, ...(translated && { format: translated }) } }
  },
}

const FORMATS: Readonly<Record<string, Translate>> = {
  text: (format, at) => readTextFormat(format, at),
  grammar: (format, at) => {
    const { type, ...grammar } = readGrammar(format, at)
    return { type, grammar }
  },
}

function refuseDeferred(at: string, isAsync: boolean | undefined, deferLoading: boolean | undefined): void {
  if (isAsync) throw new RefusedField(`${at}.async`, NOT_CARRIED)
  if (deferLoading) throw new RefusedField(`${at}.defer_loading`, NOT_CARRIED)
}

const TOOL_REASON = 'the provider would run other tools by itself, which is not governed'

/** The tools in the form of the chat API. */
export function readTools(value: unknown, sources: Sources): readonly Fields[] {
  return listOf(value, 'tools').map((tool, index) => {
    const at = `tools[${index}]`
    sources.set(`${at}.function`, at)
    sources.set(`${at}.custom`, at)
    sources.set(`${at}.custom.format.grammar`, `${at}.format`)
    return byType(TOOLS, tool, at, TOOL_REASON)(tool, at)
  })
}

const CHOICES: Readonly<Record<string, Translate>> = {
  function: named,
  custom: named,
  allowed_tools: (choice, at) => {
    const { type, mode, tools } = readAllowed(choice, at)
    const allowed = tools.map((tool, index) => {
      const path = `${at}.tools[${index}]`
      return byType({ function: named, custom: named }, tool, path, TOOL_REASON)(tool, path)
    })
    return { type, allowed_tools: { mode, tools: allowed } }
  },
}

/** `{type: "function", name}` as `{type: "function", function: {name}}`. */
function named(value: unknown, at: string): Fields {
  const { type, name } = readChoice(value, at)
  return { type, [type]: { name } }
}

const WORDS: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

export function readToolChoice(value: unknown, sources: Sources): unknown {
  if (WORDS.has(value)) return value
  if (!isObject(value)) throw new RefusedField('tool_choice', 'must be "auto", "none", "required" or an object')
  for (const name of ['function', 'custom', 'allowed_tools']) sources.set(`tool_choice.${name}`, 'tool_choice')
  return byType(CHOICES, value, 'tool_choice', TOOL_REASON)(value, 'tool_choice')
}
