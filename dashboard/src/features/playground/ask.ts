import { client } from '../../api/client.ts'
import { readEvents } from '../../api/event-stream.ts'
import type { InitOf } from '../../api/operations.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

type Body = NonNullable<InitOf<'post', '/admin/v1/applications/{id}/chat'>['body']>

/** One thing that was said. */
export interface Said {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** What the gateway says of how an answer came about. */
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

export interface Answer {
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

interface Asking {
  readonly applicationId: string
  readonly messages: readonly Said[]
  readonly options: PlaygroundFilters
  readonly signal: AbortSignal
  /** Hears of the answer as it comes, where it is streamed. */
  readonly onProgress: (content: string) => void
}

/** Asks as the Application would; a refusal is thrown, as ApiError. */
export async function ask({ applicationId, messages, options, signal, onProgress }: Asking): Promise<Answer> {
  const { data, response } = await client.POST('/admin/v1/applications/{id}/chat', {
    params: { path: { id: applicationId }, query: options.as === undefined ? {} : { as: options.as } },
    body: bodyOf(messages, options),
    parseAs: 'stream',
    signal,
  })
  const auditId = response.headers.get('x-audit-id')
  if (!options.stream) {
    const completion = (await new Response(data).json()) as Completion
    return { ...answerOf(completion.choices?.[0]?.message?.content ?? '', completion), auditId }
  }
  let content = ''
  let whole: Completion = {}
  for await (const event of readEvents(data as ReadableStream<Uint8Array<ArrayBuffer>>)) {
    if (event.data === undefined || event.data === '[DONE]') continue
    const chunk = JSON.parse(event.data) as Completion
    whole = { ...whole, ...chunk }
    content += chunk.choices?.[0]?.delta?.content ?? ''
    onProgress(content)
  }
  return { ...answerOf(content, whole), auditId }
}

function bodyOf(messages: readonly Said[], { as, user, session, model, dry, stream }: PlaygroundFilters): Body {
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

const answerOf = (content: string, { governance, usage }: Completion) => ({ content, governance, tokens: usage?.total_tokens })
