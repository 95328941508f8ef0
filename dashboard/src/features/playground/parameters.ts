/** Parameters that the settings panel adds to each request. Numbers are undefined if the model's default applies. */
export interface Parameters {
  readonly system: string
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly maxTokens?: number | undefined
  readonly seed?: number | undefined
  readonly stop: readonly string[]
  readonly json: boolean
  /** JSON list of tools in the form of the chat completions API, or empty. */
  readonly tools: string
  /** Of an asserted user. */
  readonly role: string
  readonly department: string
  /** How long a held request waits for its reviewer, in seconds. */
  readonly waitSeconds?: number | undefined
}

export const NO_PARAMETERS: Parameters = { system: '', stop: [], json: false, tools: '', role: '', department: '' }

/** A tool of the chat completions API. */
export interface Tool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: object }
}

/** `problem`: key in the catalogue. */
export type ParsedTools =
  | { readonly ok: true; readonly tools: readonly Tool[] }
  | { readonly ok: false; readonly problem: 'json' | 'list' | 'function' | 'name' | 'duplicate' }

const NAME = /^[\w-]{1,64}$/

/** Reads the tools' JSON. An empty text has no tools. */
export function parseTools(text: string): ParsedTools {
  if (text.trim() === '') return { ok: true, tools: [] }
  const tools = parseJson(text)
  if (tools === undefined) return { ok: false, problem: 'json' }
  if (!Array.isArray(tools)) return { ok: false, problem: 'list' }
  if (!tools.every(isFunction)) return { ok: false, problem: 'function' }
  const names = tools.map((tool) => tool.function.name)
  if (!names.every((name) => NAME.test(name))) return { ok: false, problem: 'name' }
  return new Set(names).size < names.length ? { ok: false, problem: 'duplicate' } : { ok: true, tools }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isFunction = (tool: unknown): tool is Tool => {
  const { type, function: definition } = (tool ?? {}) as { type?: unknown; function?: { name?: unknown } }
  return type === 'function' && typeof definition?.name === 'string'
}
