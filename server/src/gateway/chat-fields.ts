import type { Problem } from '../lib/schema.ts'

/**
 * Fields that make an answer of something the gateway does not read yet (sound, a search, stored content), or that choose who
 * answers behind the gateway's back. They are refused by name: dropped, the caller would get another answer than was asked for.
 */
const REFUSED: Readonly<Record<string, string>> = {
  audio: 'sound is not read yet',
  functions: 'use tools',
  function_call: 'use tool_choice',
  ...reason('the provider would search by itself, which is not governed', [
    'web_search_options',
    'web_search',
    'enable_web_search',
    'search_parameters',
    'search_options',
    'search_settings',
    'enable_search',
    'data_sources',
    'plugins',
    'compound_custom',
  ]),
  ...reason('the provider would use content that it keeps, which is not read', [
    'previous_response_id',
    'conversation',
    'prompt',
    'cached_content',
  ]),
  ...reason('the provider would call tools by itself, which is not governed', ['mcp_servers', 'container', 'tool_resources']),
  ...reason('the answer would not come with the response', ['background']),
  ...reason('the gateway chooses the model and its provider', [
    'models',
    'provider',
    'route',
    'fallbacks',
    'preset',
    'api_base',
    'base_url',
    'api_key',
    'extra_headers',
    'custom_llm_provider',
    'mock_response',
  ]),
}

function reason(text: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, text]))
}

/** The gateway's own, or made anew for the provider. */
const OWN: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'stream_options', 'governance'])
/** Read by the gateway where they stand at the top; inside `extra_body` they would be read by nobody. */
const AT_THE_TOP: ReadonlySet<string> = new Set([...OWN, 'n', 'max_tokens', 'max_completion_tokens', 'tools', 'tool_choice'])

type Fields = Readonly<Record<string, unknown>>

/** The first field that is not let through, at the top or inside `extra_body`. */
export function fieldProblem(body: Fields): Problem | undefined {
  const extra = isObject(body.extra_body) ? body.extra_body : {}
  const hidden = Object.keys(extra).find((name) => AT_THE_TOP.has(name))
  if (hidden !== undefined) return { param: `extra_body.${hidden}`, message: 'must stand at the top of the body' }
  return refusedField(body, '') ?? refusedField(extra, 'extra_body.') ?? toolProblem(body)
}

function refusedField(fields: Fields, at: string): Problem | undefined {
  for (const [name, value] of Object.entries(fields)) {
    const why = isSet(value) ? REFUSED[name] : undefined
    if (why !== undefined) return { param: at + name, message: `is not supported: ${why}` }
  }
  const { modalities } = fields
  const others = Array.isArray(modalities) ? modalities.filter((modality) => modality !== 'text') : isSet(modalities) ? [0] : []
  return others.length > 0 ? { param: `${at}modalities`, message: 'must be ["text"]: nothing else is read yet' } : undefined
}

const CALLED_BY_CLIENT: ReadonlySet<unknown> = new Set(['function', 'custom'])
const CHOICES: ReadonlySet<unknown> = new Set(['function', 'custom', 'allowed_tools'])

/** Tools that the provider runs itself bring content into the answer that no stage has seen. */
function toolProblem({ tools, tool_choice: choice }: Fields): Problem | undefined {
  const index = (Array.isArray(tools) ? tools : []).findIndex((tool: Fields) => !CALLED_BY_CLIENT.has(tool.type))
  if (index >= 0)
    return { param: `tools[${index}].type`, message: 'must be "function" or "custom": other tools are not governed yet' }
  if (!isObject(choice) || CHOICES.has(choice.type)) return undefined
  return { param: 'tool_choice.type', message: 'must be "function", "custom" or "allowed_tools"' }
}

/** What goes to the provider as it came: all but the gateway's own, and what is null, which means absent. */
export const passedOn = (body: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== null && !OWN.has(name)))

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
/** Whether a field asks for something: typed clients also write what they do not want. */
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
