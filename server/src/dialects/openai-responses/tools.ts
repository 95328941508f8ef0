import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { textOf } from '../../platform/lib/untrusted-json.ts'
import { refuse, type Sources } from '../client-fields.ts'
import { anyList, anyObject, byType, type Fields, isObject, listOf, NOT_CARRIED, optionalText, reader, text } from './fields.ts'

const flag = Type.Optional(Type.Boolean())
const DECLARED = { type: text, name: text, description: optionalText, async: flag, defer_loading: flag }

const readFunction = reader({ ...DECLARED, parameters: Type.Optional(anyObject), strict: flag })
const readCustom = reader({ ...DECLARED, format: Type.Optional(Type.Unknown()) })
const readNamespace = reader({ type: text, name: text, description: optionalText, tools: anyList })
const readSearch = reader({
  type: text,
  execution: Type.Literal('client'),
  description: optionalText,
  parameters: Type.Optional(anyObject),
})
const readTextFormat = reader({ type: text })
const readGrammar = reader({ type: text, definition: text, syntax: text })
const readChoice = reader({ type: text, name: text })
const readAllowed = reader({ type: text, mode: text, tools: anyList })

/** A tool that the chat API has no form for: one of a namespace, or the tool with which a model searches for tools in the client. */
export type ToolName = { readonly namespace: string; readonly name: string } | typeof TOOL_SEARCH

/** The tools of a request by their names in the chat form, for those that have another name in this API. */
export type ToolNames = ReadonlyMap<string, ToolName>

/** The type of the tool, and the name of the function that it is in the chat form. */
export const TOOL_SEARCH = 'tool_search'

/** The name of a tool in the chat form, to policies and to providers of other APIs: `mcp__files` and `read` are `mcp__files__read`. */
export const chatName = (name: string, namespace?: unknown): string =>
  typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name

export interface ToolList {
  readonly tools: Fields[]
  readonly names: Map<string, ToolName>
  readonly sources: Sources
  /** The tools as the client wrote them, by their names in `tools`. */
  readonly written: Map<string, readonly unknown[]>
  /** The description of each namespace, which is that of its first tool too. */
  readonly prefaces: Map<string, string>
}

export const newToolList = (sources: Sources): ToolList => ({
  tools: [],
  names: new Map(),
  sources,
  written: new Map(),
  prefaces: new Map(),
})

interface Place {
  readonly namespace?: string
  /** The item has loaded the tool: then `defer_loading` asks for nothing more. */
  readonly isLoaded: boolean
}

type AddTool = (tool: unknown, at: string, list: ToolList, place: Place) => void

const CALLED: Readonly<Record<string, AddTool>> = {
  function: (tool, at, list, place) => {
    const { type, async: isAsync, defer_loading, ...definition } = readFunction(tool, at)
    refuseDeferred(at, isAsync, defer_loading && !place.isLoaded)
    addTool(type, definition, at, list, place)
  },
  custom: (tool, at, list, place) => {
    const { type, async: isAsync, defer_loading, format, ...definition } = readCustom(tool, at)
    refuseDeferred(at, isAsync, defer_loading && !place.isLoaded)
    const path = `${at}.format`
    const translated = format === undefined ? undefined : byType(FORMATS, format, path, 'there are no others')(format, path)
    addTool(type, { ...definition, ...(translated && { format: translated }) }, at, list, place)
  },
}

const TOOLS: Readonly<Record<string, AddTool>> = {
  ...CALLED,
  namespace: (tool, at, list, { isLoaded }) => {
    const { name: namespace, description: preface, tools } = readNamespace(tool, at)
    if (tools.length === 0) refuse(`${at}.tools`, 'must have at least one tool')
    const first = list.tools.length
    for (const [index, inner] of tools.entries()) {
      const path = `${at}.tools[${index}]`
      byType(CALLED, inner, path, TOOL_REASON)(inner, path, list, { namespace, isLoaded })
    }
    if (!preface || list.prefaces.get(namespace) === preface) return
    const firstTool = list.tools[first]
    if (!firstTool) return refuse(`${at}.description`, 'must be that of the namespace before, because it has no new tool')
    list.prefaces.set(namespace, preface)
    list.tools[first] = withPreface(firstTool, preface)
  },
  [TOOL_SEARCH]: (tool, at, list, place) => {
    const { type, execution: _, ...definition } = readSearch(tool, at)
    list.names.set(type, TOOL_SEARCH)
    addTool('function', { name: type, ...definition }, at, list, place)
  },
}

function addTool(
  type: string,
  definition: { readonly name: string },
  at: string,
  { tools, names, sources, written }: ToolList,
  { namespace }: Place,
): void {
  const name = chatName(definition.name, namespace)
  const own = namespace === undefined ? undefined : { namespace, name: definition.name }
  const tool = [type, definition, own ?? names.get(name)]
  const known = written.get(name)
  if (known && (own || known[2] !== undefined)) {
    if (isDeepStrictEqual(known, tool)) return
    refuse(`${at}.name`, `must not make a second tool ${JSON.stringify(name)}, which is its name to policies`)
  }
  written.set(name, tool)
  if (own) names.set(name, own)
  const to = `tools[${tools.length}]`
  for (const path of [to, `${to}.function`, `${to}.custom`]) sources.set(path, at)
  sources.set(`${to}.custom.format.grammar`, `${at}.format`)
  tools.push({ type, [type]: { ...definition, name } })
}

function withPreface(tool: Fields, preface: string): Fields {
  const type = String(tool.type)
  const definition = tool[type] as Fields
  const own = textOf(definition.description)
  return { type, [type]: { ...definition, description: own === '' ? preface : `${preface}\n\n${own}` } }
}

type Translate = (value: unknown, at: string) => Fields

const FORMATS: Readonly<Record<string, Translate>> = {
  text: readTextFormat,
  grammar: (format, at) => {
    const { type, ...grammar } = readGrammar(format, at)
    return { type, grammar }
  },
}

function refuseDeferred(at: string, isAsync: boolean | undefined, deferLoading: boolean | undefined): void {
  if (isAsync) refuse(`${at}.async`, NOT_CARRIED)
  if (deferLoading) refuse(`${at}.defer_loading`, NOT_CARRIED)
}

const TOOL_REASON =
  'the provider would run other tools by itself, where no policy governs them; switch them off in the client (Codex: put the line web_search = "disabled" at the top of ~/.codex/config.toml)'

/** `isLoaded`: they are the result of a search for tools. */
export function addTools(value: unknown, at: string, list: ToolList, isLoaded = false): void {
  for (const [index, tool] of listOf(value, at).entries()) {
    const path = `${at}[${index}]`
    byType(TOOLS, tool, path, TOOL_REASON)(tool, path, list, { isLoaded })
  }
}

const NAMED = { function: named, custom: named }
const CHOICES: Readonly<Record<string, Translate>> = {
  ...NAMED,
  allowed_tools: (choice, at) => {
    const { type, mode, tools } = readAllowed(choice, at)
    const allowed = tools.map((tool, index) => {
      const path = `${at}.tools[${index}]`
      return byType(NAMED, tool, path, TOOL_REASON)(tool, path)
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
  if (!isObject(value)) refuse('tool_choice', 'must be "auto", "none", "required" or an object')
  for (const name of ['function', 'custom', 'allowed_tools']) sources.set(`tool_choice.${name}`, 'tool_choice')
  return byType(CHOICES, value, 'tool_choice', TOOL_REASON)(value, 'tool_choice')
}
