import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { mergeChanges } from '../merge-changes.ts'
import { chatName, TOOL_SEARCH } from './tools.ts'

interface Change {
  readonly before: Fields
  readonly after: Fields
}

/** `before` and `after`: the translations of the tools in `tools` and in items, in the same order. */
export function withChangedTools(body: Fields, before: readonly Fields[], after: readonly Fields[]): Fields {
  const changes = Map.groupBy(
    before.map((tool, index) => ({ before: tool, after: after[index] ?? tool })),
    (change) => change.before.name,
  )
  const inList = (tools: unknown): unknown => (Array.isArray(tools) ? tools.map((tool) => changedTool(tool, changes)) : tools)
  const inItem = (item: unknown): unknown => (isObject(item) && 'tools' in item ? { ...item, tools: inList(item.tools) } : item)
  return {
    ...body,
    ...('tools' in body && { tools: inList(body.tools) }),
    ...(Array.isArray(body.input) && { input: body.input.map(inItem) }),
  }
}

/** Changes by the name of the tool. Tools of one name are in the order of the request; those of a namespace are translated once. */
type Changes = ReadonlyMap<unknown, Change[]>

function changedTool(tool: unknown, changes: Changes): unknown {
  if (!isObject(tool)) return tool
  if (tool.type === 'namespace' && Array.isArray(tool.tools)) return changedNamespace(tool, tool.tools, changes)
  const change = nextChange(changes, tool.type === TOOL_SEARCH ? TOOL_SEARCH : tool.name)
  return change ? mergeTool(tool, change) : tool
}

function nextChange(changes: Changes, name: unknown): Change | undefined {
  const ofName = changes.get(name)
  return ofName && ofName.length > 1 ? ofName.shift() : ofName?.[0]
}

function mergeTool(tool: Fields, { before, after }: Change): unknown {
  if (tool.type !== TOOL_SEARCH) return mergeChanges(tool, before, after)
  // In this API it has no name, and its type is its own.
  const { name: _, type: _type, strict: _strict, ...from } = before
  const { name: _name, type: _other, strict: _none, ...to } = after
  return mergeChanges(tool, from, to)
}

/** The description of a namespace is translated as the beginning of its first tool's, where it stays if a policy changed it. */
function changedNamespace(tool: Fields, tools: readonly unknown[], changes: Changes): Fields {
  const prefix = chatName('', tool.name)
  const preface = textOf(tool.description)
  const holder = [...changes]
    .filter(([name]) => textOf(name).startsWith(prefix))
    .flatMap(([, ofName]) => ofName)
    .find(({ before }) => textOf(before.description).startsWith(preface))
  const isKept = !holder || textOf(holder.after.description).startsWith(preface)
  const changeOf = (inner: unknown) =>
    isObject(inner) ? nextChange(changes, chatName(textOf(inner.name), tool.name)) : undefined
  const edited = tools.map((inner) => {
    const change = changeOf(inner)
    return change && isObject(inner) ? mergeTool(inner, change) : inner
  })
  return { ...tool, ...(!isKept && { description: '' }), tools: edited }
}
