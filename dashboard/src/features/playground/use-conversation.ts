import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { ask, type Said } from './ask.ts'
import { changeTurns, conversationKey, type Turn, useTurns } from './conversations.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

/** The record of what came of a question, once there is one. */
export const auditIdOf = ({ answer, error }: Turn): string | null =>
  answer?.auditId ?? (error instanceof ApiError ? error.auditId : null)

/** Requests in flight, by their turn. */
const asking = new Map<number, AbortController>()

/** The chat of an Application for one user: what was answered goes along with the next question; what was refused does not. */
export function useConversation(options: PlaygroundFilters) {
  const key = conversationKey(useWorkspace(), options)
  const turns = useTurns(key)
  const [chosen, choose] = useState<number>()
  const stop = () => {
    for (const { id } of turns) asking.get(id)?.abort()
  }
  return {
    key,
    turns,
    /** The turn whose trace is shown. */
    chosen: turns.find(({ id }) => id === chosen) ?? turns.at(-1),
    choose,
    send: (applicationId: string, question: string) => {
      const id = Date.now()
      choose(id)
      void send({ key, id, applicationId, question, said: turns.flatMap(saidIn), options })
    },
    pending: turns.some(({ pending }) => pending),
    stop,
    clear: () => {
      stop()
      changeTurns(key, () => [])
    },
  }
}

interface Sending {
  readonly key: string
  readonly id: number
  readonly applicationId: string
  readonly question: string
  readonly said: readonly Said[]
  readonly options: PlaygroundFilters
}

/** Asks, and puts into the chat what comes of it: also after the page was left. */
async function send({ key, id, applicationId, question, said, options }: Sending): Promise<void> {
  const controller = new AbortController()
  asking.set(id, controller)
  const change = (changes: Partial<Turn>) =>
    changeTurns(key, (turns) => turns.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn)))
  changeTurns(key, (turns) => [...turns, { id, question, content: '', pending: true, isDryRun: options.dry === true }])
  try {
    const answer = await ask({
      applicationId,
      messages: [...said, { role: 'user', content: question }],
      options,
      signal: controller.signal,
      onProgress: (content) => change({ content }),
    })
    change({ content: answer.content, answer, pending: false })
  } catch (error) {
    if (controller.signal.aborted) changeTurns(key, (turns) => turns.filter((turn) => turn.id !== id))
    else change({ error, pending: false })
  } finally {
    asking.delete(id)
  }
}

const saidIn = ({ question, answer, isDryRun }: Turn): readonly Said[] =>
  answer && !isDryRun
    ? [
        { role: 'user', content: question },
        { role: 'assistant', content: answer.content },
      ]
    : []
