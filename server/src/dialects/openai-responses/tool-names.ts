/** A tool that the chat API has no form for: one of a namespace, or the tool with which a model searches for tools in the client. */
export type ToolName = { readonly namespace: string; readonly name: string } | typeof TOOL_SEARCH

/** The tools of a request by their names in the chat form, for those that have another name in this API. */
export type ToolNames = ReadonlyMap<string, ToolName>

/** The type of the tool, and the name of the function that it is in the chat form. */
export const TOOL_SEARCH = 'tool_search'

/** The name of a tool in the chat form, to policies and to providers of other APIs: `mcp__files` and `read` are `mcp__files__read`. */
export const chatName = (name: string, namespace?: unknown): string =>
  typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name
