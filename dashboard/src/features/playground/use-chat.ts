import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { changeTurns, chatKey, type Turn, useTurns } from './chat-store.ts'
import type { PlaygroundFilters } from './playground-filters.ts'
import { type ChatMessage, sendChat } from './send-chat.ts'

/** Audit id of a turn; null while it is pending. */
export const auditIdOf = ({ result, error }: Turn): string | null =>
  result?.auditId ?? (error instanceof ApiError ? error.auditId : null)

/** Requests in flight, by their turn. */
const inFlight = new Map<number, AbortController>()

/** The chat of an Application and a user. Refused messages are not sent with the next request. */
export function useChat(options: PlaygroundFilters) {
  const key = chatKey(useWorkspace(), options)
  const turns = useTurns(key)
  const [selected, choose] = useState<number>()
  const stop = () => {
    for (const { id } of turns) inFlight.get(id)?.abort()
  }
  return {
    key,
    turns,
    /** The turn whose trace is shown. */
    selected: turns.find(({ id }) => id === selected) ?? turns.at(-1),
    choose,
    send: (applicationId: string, prompt: string) => {
      const id = Date.now()
      choose(id)
      void send({ key, id, applicationId, prompt, history: turns.flatMap(messagesOf), options })
    },
    pending: turns.some(({ pending }) => pending),
    stop,
    clear: () => {
      stop()
      changeTurns(key, () => [])
    },
  }
}

interface SendOptions {
  readonly key: string
  readonly id: number
  readonly applicationId: string
  readonly prompt: string
  readonly history: readonly ChatMessage[]
  readonly options: PlaygroundFilters
}

/** Sends a message and updates the chat, even after the page is closed. */
async function send({ key, id, applicationId, prompt, history, options }: SendOptions): Promise<void> {
  const controller = new AbortController()
  inFlight.set(id, controller)
  const change = (changes: Partial<Turn>) =>
    changeTurns(key, (turns) => turns.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn)))
  changeTurns(key, (turns) => [...turns, { id, prompt, content: '', pending: true, isDryRun: options.dry === true }])
  try {
    const result = await sendChat({
      applicationId,
      messages: [...history, { role: 'user', content: prompt }],
      options,
      signal: controller.signal,
      onProgress: (content) => change({ content }),
    })
    change({ content: result.content, result, pending: false })
  } catch (error) {
    if (controller.signal.aborted) changeTurns(key, (turns) => turns.filter((turn) => turn.id !== id))
    else change({ error, pending: false })
  } finally {
    inFlight.delete(id)
  }
}

const messagesOf = ({ prompt, result, isDryRun }: Turn): readonly ChatMessage[] =>
  result && !isDryRun
    ? [
        { role: 'user', content: prompt },
        { role: 'assistant', content: result.content },
      ]
    : []
