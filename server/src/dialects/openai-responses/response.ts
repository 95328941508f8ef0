import type { Completion, Usage } from '../../shared/completion.ts'
import { NO_USAGE, tokenUnitsOf } from '../../shared/usage.ts'
import type { GovernanceBlock } from '../client-dialect.ts'
import { type Fields, isObject } from './fields.ts'
import type { OutputItem } from './items.ts'
import { idSuffix, outputOf } from './output-items.ts'
import type { ToolNames } from './tools.ts'

export interface ResponseObject extends Fields {
  readonly id: string
  readonly status: 'completed' | 'incomplete'
  readonly output: readonly OutputItem[]
}

const INCOMPLETE: Readonly<Record<string, string>> = { length: 'max_output_tokens', content_filter: 'content_filter' }

/** The client's request, whose settings the response repeats, and the names of its tools. */
export interface Asked {
  readonly request: Fields
  readonly toolNames: ToolNames
}

export function toResponse(
  completion: Completion,
  { request, toolNames }: Asked,
  governance: GovernanceBlock,
  isStored: boolean,
): ResponseObject {
  const { id, object: _, created, model, choices, usage, service_tier, ...others } = completion
  const reason = INCOMPLETE[choices[0]?.finish_reason ?? '']
  const { output, extras } = outputOf(completion, toolNames, reason !== undefined)
  const providerFields = { ...(Object.keys(others).length > 0 && { response: others }), ...extras }
  return {
    id: `resp_${idSuffix(id)}`,
    object: 'response',
    created_at: created,
    status: reason === undefined ? 'completed' : 'incomplete',
    completed_at: reason === undefined ? created : null,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model,
    output,
    ...settingsOf(request, isStored),
    service_tier: service_tier ?? request.service_tier ?? 'default',
    usage: usageOf(usage),
    ...(Object.keys(providerFields).length > 0 && { provider_fields: providerFields }),
    governance,
  }
}

function settingsOf(request: Fields, isStored: boolean): Fields {
  const settings = { ...DEFAULTS, ...request }
  return {
    ...Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, settings[name as keyof typeof settings]])),
    tools: toolsOf(request),
    text: { format: { type: 'text' }, ...(isObject(request.text) && request.text) },
    reasoning: { effort: null, summary: null, ...(isObject(request.reasoning) && request.reasoning) },
    store: isStored,
    background: false,
    previous_response_id: request.previous_response_id ?? null,
    ...(request.user !== undefined && { user: request.user }),
    ...(request.prompt_cache_retention !== undefined && { prompt_cache_retention: request.prompt_cache_retention }),
    ...(request.prompt_cache_options !== undefined && { prompt_cache_options: request.prompt_cache_options }),
  }
}

const DEFAULTS = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  tool_choice: 'auto',
  truncation: 'disabled',
  safety_identifier: null,
  prompt_cache_key: null,
}

/** The API has null for the settings of a function that the request leaves out. */
const toolsOf = ({ tools }: Fields): readonly unknown[] =>
  (Array.isArray(tools) ? tools : []).map((tool) =>
    tool?.type === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool,
  )

/** Zeros without a report of the provider, because clients require the field. Other fields of the provider are kept. */
function usageOf(usage: Usage = NO_USAGE): Fields {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details, ...others } = usage
  const { cacheRead, cacheWrite, reasoning } = tokenUnitsOf(usage)
  return {
    ...others,
    input_tokens: prompt_tokens,
    input_tokens_details: {
      ...(isObject(prompt_tokens_details) && prompt_tokens_details),
      cached_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
    },
    output_tokens: completion_tokens,
    output_tokens_details: {
      ...(isObject(completion_tokens_details) && completion_tokens_details),
      reasoning_tokens: reasoning,
    },
    total_tokens,
  }
}
