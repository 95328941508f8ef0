import { type KnownFields, words } from '../../dialects/known-fields.ts'
import { CHAT_FIELDS } from '../../dialects/openai-chat/known-fields.ts'
import type { Problem } from '../../platform/lib/schema.ts'
import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'

/** Content that the gateway does not scan yet, or another model. Without the field the client would get another completion. */
const REFUSED: Readonly<Record<string, string>> = {
  audio: 'the gateway cannot scan audio',
  functions: 'use tools',
  function_call: 'use tool_choice',
  ...reason(
    'the provider would search by itself, which is not governed',
    `web_search_options web_search enable_web_search search_parameters search_options search_settings enable_search data_sources plugins
     compound_custom`,
  ),
  ...reason(
    'the provider would use content that it stores, which the gateway cannot scan',
    'previous_response_id conversation prompt cached_content',
  ),
  ...reason(
    'detectors cannot read tokens and vectors',
    'prompt_token_ids input_ids token_ids prompt_embeds input_embeds inputs_embeds kv_transfer_params',
  ),
  ...reason('the provider would call tools by itself, which is not governed', 'mcp_servers container tool_resources'),
  ...reason('the completion would not be part of the response', 'background'),
  ...reason(
    'the gateway chooses the model and its provider',
    'models provider route fallbacks preset api_base base_url api_key extra_headers custom_llm_provider mock_response',
  ),
}

function reason(text: string, names: string): Record<string, string> {
  return Object.fromEntries(words(names).map((name) => [name, text]))
}

/** Fields that the gateway reads itself, or sets for the provider. */
const OWN: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'stream_options', 'governance'])
/** Top-level fields that the gateway reads. Inside `extra_body` it would not read them. */
const AT_THE_TOP: ReadonlySet<string> = new Set([
  ...OWN,
  ...['n', 'max_tokens', 'max_completion_tokens', 'tools', 'tool_choice', 'extra_body'],
])

export function fieldProblem(body: Fields): Problem | undefined {
  const extra = isObject(body.extra_body) ? body.extra_body : {}
  const hidden = Object.keys(extra).find((name) => AT_THE_TOP.has(name))
  if (hidden !== undefined) return { param: `extra_body.${hidden}`, message: 'must be a top-level field of the body' }
  return refusedField(body, '') ?? refusedField(extra, 'extra_body.') ?? toolProblem(body)
}

/** `at`: the path of the fields in the body, with a dot. */
export function refusedField(fields: Fields, at: string): Problem | undefined {
  for (const [name, value] of Object.entries(fields)) {
    const why = isSet(value) && Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined
    if (why !== undefined) return { param: at + name, message: `is not supported: ${why}` }
  }
  const { modalities } = fields
  const others = Array.isArray(modalities) ? modalities.filter((modality) => modality !== 'text') : isSet(modalities) ? [0] : []
  return others.length > 0 ? { param: `${at}modalities`, message: 'must be ["text"]: nothing else is read yet' } : undefined
}

const CALLED_BY_CLIENT: ReadonlySet<unknown> = new Set(['function', 'custom'])
const CHOICES: ReadonlySet<unknown> = new Set(['function', 'custom', 'allowed_tools'])

/** Tools that the provider runs itself put content into the completion that no stage has governed. */
function toolProblem({ tools, tool_choice: choice }: Fields): Problem | undefined {
  const index = (Array.isArray(tools) ? tools : []).findIndex((tool: Fields) => !CALLED_BY_CLIENT.has(tool.type))
  if (index >= 0)
    return { param: `tools[${index}].type`, message: 'must be "function" or "custom": other tools are not governed yet' }
  if (!isObject(choice) || CHOICES.has(choice.type)) return undefined
  return { param: 'tool_choice.type', message: 'must be "function", "custom" or "allowed_tools"' }
}

export const passedOn = (body: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => !OWN.has(name) && (value !== null || !CHAT_FIELDS.has(name))))

/** Leaves out known fields that are null, because typed clients send null for absent fields. Unknown fields stay: detectors read their names. */
export const withoutNulls = (fields: Fields, known: KnownFields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== null || !known.has(name)))

/** Typed clients also send fields that they do not use. */
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
