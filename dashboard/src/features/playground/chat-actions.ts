import { ApiError } from '../../api/api-error.ts'
import { describeError } from '../../ui/describe-error.ts'
import {
  type Chat,
  historyOf,
  messagesOf,
  type Reply,
  type Step,
  type StepError,
  type ToolResult,
  type Turn,
  toolMessages,
} from './chat.ts'
import { changeStep, changeTurns } from './chat-store.ts'
import type { Message } from './message.ts'
import type { Parameters } from './parameters.ts'
import { modelsOf, type PlaygroundFilters } from './playground-filters.ts'
import { type RequestBody, requestBody, withReviewItem } from './request-body.ts'
import { sendChat } from './send-chat.ts'

/** Requests in flight, by their step. They continue after the page is left. */
const inFlight = new Map<string, AbortController>()

export interface ChatContext {
  readonly chat: Chat
  readonly applicationId: string
  readonly filters: PlaygroundFilters
  readonly parameters: Parameters
}

/** Actions on a chat. Each sends what the options say at that time. */
export function chatActions(context: ChatContext) {
  const { chat, filters, parameters } = context
  const { turns } = chat
  const turnIndex = (turn: Turn) => turns.findIndex(({ id }) => id === turn.id)

  /** Sends a message to all models, after the given turns. Returns the first step. */
  const sendAfter = (before: readonly Turn[], prompt: string): string => {
    const replies = modelsOf(filters).map((model): Reply => ({ model, steps: [newStep([])] }))
    const turn = { id: crypto.randomUUID(), prompt, isDryRun: filters.dry === true, replies }
    stopAll(turns.slice(before.length))
    changeTurns(chat.id, () => [...before, turn])
    for (const { model, steps } of replies) {
      const [step] = steps
      const messages = [...historyOf(before, model), { role: 'user', content: prompt } as const]
      if (step) void run(context, step.id, requestBody({ model, messages, filters, parameters }))
    }
    return replies[0]?.steps[0]?.id ?? ''
  }

  /** Adds a step to a model's reply. */
  const addStep = (turn: Turn, reply: Reply, results: readonly ToolResult[], body: RequestBody): string => {
    const step = newStep(results)
    const finished = reply.steps.filter(({ state }) => state === 'done')
    replaceReply(chat.id, turn, { ...reply, steps: [...finished, step] })
    void run(context, step.id, body)
    return step.id
  }

  return {
    send: (prompt: string) => sendAfter(turns, prompt),
    /** Sends a changed message instead of the turn's; later turns are removed. */
    edit: (turn: Turn, prompt: string) => sendAfter(turns.slice(0, turnIndex(turn)), prompt),
    regenerate: (turn: Turn) => sendAfter(turns.slice(0, turnIndex(turn)), turn.prompt),
    /** Removes a turn and all after it. */
    removeFrom: (turn: Turn) => {
      stopAll(turns.slice(turnIndex(turn)))
      changeTurns(chat.id, (all) => all.slice(0, turnIndex(turn)))
    },
    sendToolResults: (turn: Turn, { model, steps }: Reply, results: readonly ToolResult[]) => {
      const messages: readonly Message[] = [
        ...historyOf(turns.slice(0, turnIndex(turn)), model),
        { role: 'user', content: turn.prompt },
        ...messagesOf(steps),
        ...toolMessages(results),
      ]
      return addStep(turn, { model, steps }, results, requestBody({ model, messages, filters, parameters }))
    },
    /** Sends a held request again, with its approved review item. */
    release: (turn: Turn, reply: Reply, { held, error, toolResults }: Step) =>
      held && error?.reviewItemId ? addStep(turn, reply, toolResults, withReviewItem(held, error.reviewItemId)) : undefined,
    stop: () => stopAll(turns),
  }
}

export type ChatActions = ReturnType<typeof chatActions>

export const isPending = (turns: readonly Turn[]): boolean => stepsOf(turns).some(({ state }) => state === 'pending')

const stepsOf = (turns: readonly Turn[]): readonly Step[] => turns.flatMap(({ replies }) => replies.flatMap(({ steps }) => steps))

const newStep = (toolResults: readonly ToolResult[]): Step => ({
  id: crypto.randomUUID(),
  state: 'pending',
  toolResults,
  content: '',
  toolCalls: [],
  auditId: null,
})

const replaceReply = (chatId: string, turn: Turn, changed: Reply): void =>
  changeTurns(chatId, (turns) =>
    turns.map((one) =>
      one.id === turn.id
        ? { ...one, replies: one.replies.map((reply) => (reply.model === changed.model ? changed : reply)) }
        : one,
    ),
  )

function stopAll(turns: readonly Turn[]): void {
  for (const { id } of stepsOf(turns)) inFlight.get(id)?.abort()
}

/** Sends the request of a step and keeps the step up to date, even after the page is left. */
async function run({ chat, applicationId, filters }: ChatContext, stepId: string, body: RequestBody): Promise<void> {
  const controller = new AbortController()
  inFlight.set(stepId, controller)
  const change = (changes: Partial<Step>) => changeStep(chat.id, stepId, changes)
  const start = performance.now()
  const elapsed = () => Math.round(performance.now() - start)
  let firstTextMs: number | undefined
  try {
    const result = await sendChat({
      applicationId,
      as: filters.as,
      body,
      signal: controller.signal,
      onProgress: (soFar) => {
        if (soFar.content !== '') firstTextMs ??= elapsed()
        change({ ...soFar, firstTextMs })
      },
    })
    change({ ...result, state: 'done', firstTextMs, ms: elapsed() })
  } catch (error) {
    change({ ms: elapsed(), ...(controller.signal.aborted ? { state: 'stopped' } : failureOf(error, body)) })
  } finally {
    inFlight.delete(stepId)
  }
}

function failureOf(error: unknown, body: RequestBody): Partial<Step> {
  const description: StepError = describeError(error)
  if (!(error instanceof ApiError)) return { state: 'failed', error: description }
  const { status, code, reviewItemId, auditId } = error
  // An interrupted stream has its audit id already.
  return {
    state: 'failed',
    error: { ...description, status, code, reviewItemId },
    ...(reviewItemId !== null && { held: body }),
    ...(auditId !== null && { auditId }),
  }
}
