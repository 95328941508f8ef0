import type { ApiError } from '../../api/api-error.ts'
import type { Message } from './message.ts'
import type { PlaygroundFilters } from './playground-filters.ts'
import type { RequestBody } from './request-body.ts'

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}

export interface ToolResult {
  readonly callId: string
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
  readonly provider?: string
}

/** An error response, as far as the page shows it. */
export type StepError = Pick<ApiError, 'message' | 'requestId'> & Partial<Pick<ApiError, 'status' | 'code' | 'reviewItemId'>>

/** One request and its response. `stopped`: by the operator, or by a reload of the page. */
export interface Step {
  readonly id: string
  readonly state: 'pending' | 'done' | 'failed' | 'stopped'
  /** Results of the previous step's tool calls, which this request sent. */
  readonly toolResults: readonly ToolResult[]
  /** The completion so far. */
  readonly content: string
  readonly toolCalls: readonly ToolCall[]
  readonly auditId: string | null
  readonly governance?: Governance | undefined
  /** Tokens of the request and its completion. */
  readonly tokens?: number | undefined
  /** Milliseconds from sending to the first text, and to the end. */
  readonly firstTextMs?: number | undefined
  readonly ms?: number | undefined
  readonly error?: StepError | undefined
  /** The request of a held step. It is sent again, unchanged, once a reviewer has approved it. */
  readonly held?: RequestBody | undefined
}

/** The response of one model to a message: several steps if it calls tools. */
export interface Reply {
  readonly model: string
  readonly steps: readonly Step[]
}

/** A message of the user and the replies of all models. */
export interface Turn {
  readonly id: string
  readonly prompt: string
  readonly isDryRun: boolean
  readonly replies: readonly Reply[]
}

/** A chat belongs to one Application, user and session: messages of one user are never sent as another. */
export interface Chat {
  readonly id: string
  readonly workspace: string | undefined
  readonly identity: Identity
  readonly turns: readonly Turn[]
}

export type Identity = Pick<PlaygroundFilters, 'application' | 'as' | 'user' | 'session'>

/** The parts of the options that decide which chat is shown. */
export const identityOf = ({ application, as, user, session }: PlaygroundFilters): Identity => ({
  application,
  as,
  user: as === undefined ? user : undefined,
  session,
})

/** Messages of the turns for one model. Its own replies, or for a turn without one the first reply. Failed steps and dry runs are left out. */
export const historyOf = (turns: readonly Turn[], model: string): readonly Message[] =>
  turns.flatMap(({ prompt, isDryRun, replies }) => {
    const reply = replies.find((one) => one.model === model) ?? replies[0]
    const messages = isDryRun ? [] : messagesOf(reply?.steps ?? [])
    return messages.length > 0 ? [{ role: 'user', content: prompt } as const, ...messages] : []
  })

/** Messages of the finished steps. Ends before a step without a completion. */
export function messagesOf(steps: readonly Step[]): readonly Message[] {
  const finished = steps.findIndex(({ state }) => state !== 'done')
  return steps
    .slice(0, finished === -1 ? undefined : finished)
    .flatMap((step) => [...toolMessages(step.toolResults), assistantMessage(step)])
}

export const toolMessages = (results: readonly ToolResult[]): readonly Message[] =>
  results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: callId, content }))

const assistantMessage = ({ content, toolCalls }: Step): Message => ({
  role: 'assistant',
  content: content === '' && toolCalls.length > 0 ? null : content,
  ...(toolCalls.length > 0 && {
    tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({ id, type: 'function', function: { name, arguments: text } })),
  }),
})
