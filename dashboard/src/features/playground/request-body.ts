import type { Message } from './message.ts'
import { type Parameters, parseTools, type Tool } from './parameters.ts'
import { DEFAULT_MODEL, type PlaygroundFilters } from './playground-filters.ts'

/** A request of the chat completions API. */
export interface RequestBody {
  readonly model?: string
  readonly messages: Message[]
  readonly temperature?: number
  readonly top_p?: number
  readonly max_tokens?: number
  readonly seed?: number
  readonly stop?: string[]
  readonly response_format?: { readonly type: 'json_object' }
  readonly tools?: Tool[]
  readonly stream?: true
  readonly stream_options?: { readonly include_usage: true }
  readonly governance?: GovernanceFields
}

interface GovernanceFields {
  readonly user?: { readonly id: string; readonly role?: string; readonly department?: string }
  readonly session_id?: string
  readonly dry_run?: true
  readonly wait_for_approval_seconds?: number
  readonly review_item_id?: string
}

interface BodyOptions {
  readonly model: string
  /** Messages after the system prompt. */
  readonly messages: readonly Message[]
  readonly filters: PlaygroundFilters
  readonly parameters: Parameters
}

/** The request that the playground sends and that "Copy as code" shows. */
export function requestBody({ model, messages, filters, parameters }: BodyOptions): RequestBody {
  const { system } = parameters
  const governance = governanceOf(filters, parameters)
  return {
    ...(model !== DEFAULT_MODEL && { model }),
    messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system } as const]), ...messages],
    ...samplingOf(parameters),
    ...(filters.stream && { stream: true, stream_options: { include_usage: true } }),
    ...(Object.keys(governance).length > 0 && { governance }),
  }
}

function samplingOf({ temperature, topP, maxTokens, seed, stop, json, tools: text }: Parameters) {
  const parsed = parseTools(text)
  const tools = parsed.ok ? parsed.tools : []
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(seed !== undefined && { seed }),
    ...(stop.length > 0 && { stop: [...stop] }),
    ...(json && { response_format: { type: 'json_object' } as const }),
    ...(tools.length > 0 && { tools: [...tools] }),
  }
}

const governanceOf = (
  { as, user, session, dry }: PlaygroundFilters,
  { role, department, waitSeconds }: Parameters,
): GovernanceFields => ({
  ...(as === undefined && user !== undefined && { user: { id: user, ...(role && { role }), ...(department && { department }) } }),
  ...(session !== undefined && { session_id: session }),
  ...(dry && { dry_run: true }),
  ...(waitSeconds !== undefined && !dry && { wait_for_approval_seconds: waitSeconds }),
})

/** A held request with its review item: it delivers the result once the item is approved. */
export const withReviewItem = (body: RequestBody, reviewItemId: string): RequestBody => ({
  ...body,
  governance: { ...body.governance, review_item_id: reviewItemId },
})
