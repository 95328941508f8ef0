import { client } from '../../api/client.ts'
import { readEvents } from '../../api/event-stream.ts'
import type { InitOf } from '../../api/operations.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

type Body = NonNullable<InitOf<'post', '/admin/v1/applications/{id}/chat'>['body']>

/** A message of the chat. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** Governance block of a response. */
export interface Governance {
  readonly decision?: {
    readonly verdict: string
    readonly transforms: readonly string[]
    readonly directives: readonly string[]
  }
  readonly risk_level?: string
  readonly user_verified?: boolean
  readonly dry_run?: boolean
  readonly provider?: string
}

export interface ChatResult {
  readonly content: string
  readonly auditId: string | null
  readonly governance: Governance | undefined
  readonly tokens: number | undefined
}

interface Completion {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string | null }
    readonly delta?: { readonly content?: string | null }
  }[]
  readonly usage?: { readonly total_tokens?: number }
  readonly governance?: Governance
}

interface SendOptions {
  readonly applicationId: string
  readonly messages: readonly ChatMessage[]
  readonly options: PlaygroundFilters
  readonly signal: AbortSignal
  /** Called with the content so far while it is streamed. */
  readonly onProgress: (content: string) => void
}

/** Sends a chat request as the Application. Error responses are thrown as ApiError. */
export async function sendChat({ applicationId, messages, options, signal, onProgress }: SendOptions): Promise<ChatResult> {
  const { data, response } = await client.POST('/admin/v1/applications/{id}/chat', {
    params: { path: { id: applicationId }, query: options.as === undefined ? {} : { as: options.as } },
    body: bodyOf(messages, options),
    parseAs: 'stream',
    signal,
  })
  const auditId = response.headers.get('x-audit-id')
  if (!options.stream) {
    const completion = (await new Response(data).json()) as Completion
    return { ...resultOf(completion.choices?.[0]?.message?.content ?? '', completion), auditId }
  }
  let content = ''
  let merged: Completion = {}
  for await (const event of readEvents(data as ReadableStream<Uint8Array<ArrayBuffer>>)) {
    if (event.data === undefined || event.data === '[DONE]') continue
    const chunk = JSON.parse(event.data) as Completion
    merged = { ...merged, ...chunk }
    content += chunk.choices?.[0]?.delta?.content ?? ''
    onProgress(content)
  }
  return { ...resultOf(content, merged), auditId }
}

function bodyOf(messages: readonly ChatMessage[], { as, user, session, model, dry, stream }: PlaygroundFilters): Body {
  return {
    messages: [...messages],
    ...(model !== undefined && { model }),
    ...(stream && { stream, stream_options: { include_usage: true } }),
    governance: {
      ...(as === undefined && user !== undefined && { user: { id: user } }),
      ...(session !== undefined && { session_id: session }),
      ...(dry && { dry_run: dry }),
    },
  }
}

const resultOf = (content: string, { governance, usage }: Completion) => ({ content, governance, tokens: usage?.total_tokens })
