import { client } from '../../api/client.ts'
import { readEvents } from '../../api/event-stream.ts'
import type { InitOf } from '../../api/operations.ts'
import type { Governance, Step, ToolCall } from './chat.ts'
import type { RequestBody } from './request-body.ts'

interface CallDelta {
  readonly index?: number
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

interface Completion {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string | null; readonly tool_calls?: readonly CallDelta[] | null }
    readonly delta?: { readonly content?: string | null; readonly tool_calls?: readonly CallDelta[] | null }
  }[]
  readonly usage?: { readonly total_tokens?: number } | null
  readonly governance?: Governance
}

/** The parts of a step that come from its response. */
export type StepResult = Pick<Step, 'content' | 'toolCalls' | 'auditId' | 'governance' | 'tokens'>

interface SendOptions {
  readonly applicationId: string
  /** Directory user, treated as verified. */
  readonly as: string | undefined
  readonly body: RequestBody
  readonly signal: AbortSignal
  /** Called with what has arrived while the completion is streamed. */
  readonly onProgress: (soFar: Partial<StepResult>) => void
}

/** Sends a chat request as the Application. Error responses are thrown as ApiError. */
export async function sendChat({ applicationId, as, body, signal, onProgress }: SendOptions): Promise<StepResult> {
  const { data, response } = await client.POST('/admin/v1/applications/{id}/chat', {
    params: { path: { id: applicationId }, query: as === undefined ? {} : { as } },
    body: body as NonNullable<InitOf<'post', '/admin/v1/applications/{id}/chat'>['body']>,
    parseAs: 'stream',
    signal,
  })
  const auditId = response.headers.get('x-audit-id')
  if (!body.stream) return { ...resultOf((await new Response(data).json()) as Completion), auditId }
  let result: StepResult = { content: '', toolCalls: [], auditId }
  onProgress(result)
  for await (const { data: text } of readEvents(data as ReadableStream<Uint8Array<ArrayBuffer>>)) {
    if (text === undefined || text === '[DONE]') continue
    result = addChunk(result, JSON.parse(text) as Completion)
    onProgress(result)
  }
  return result
}

function resultOf({ choices, usage, governance }: Completion): Omit<StepResult, 'auditId'> {
  const { content, tool_calls } = choices?.[0]?.message ?? {}
  return { content: content ?? '', toolCalls: addCalls([], tool_calls ?? []), governance, tokens: usage?.total_tokens }
}

function addChunk(result: StepResult, { choices, usage, governance }: Completion): StepResult {
  const { content, tool_calls } = choices?.[0]?.delta ?? {}
  return {
    auditId: result.auditId,
    content: result.content + (content ?? ''),
    toolCalls: addCalls(result.toolCalls, tool_calls ?? []),
    governance: governance ?? result.governance,
    tokens: usage?.total_tokens ?? result.tokens,
  }
}

/** Joins the parts of tool calls by their index; a call without one is complete. */
function addCalls(calls: readonly ToolCall[], deltas: readonly CallDelta[]): readonly ToolCall[] {
  const joined = [...calls]
  for (const { index = joined.length, id = '', function: part } of deltas) {
    const call = joined[index] ?? { id: '', name: '', arguments: '' }
    joined[index] = {
      id: call.id || id,
      name: call.name + (part?.name ?? ''),
      arguments: call.arguments + (part?.arguments ?? ''),
    }
  }
  return joined
}
