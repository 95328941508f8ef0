import { useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { type Answer, ask, type Said } from './ask.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

/** A question and what came of it. */
export interface Turn {
  readonly id: number
  readonly question: string
  /** As far as it has come. */
  readonly content: string
  readonly pending: boolean
  readonly answer?: Answer
  readonly error?: unknown
}

/** The record of what came of a question, once there is one. */
export const auditIdOf = ({ answer, error }: Turn): string | null =>
  answer?.auditId ?? (error instanceof ApiError ? error.auditId : null)

/** A chat with an Application: what was answered goes along with the next question; what was refused does not. */
export function useConversation() {
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const [chosen, choose] = useState<number>()
  const asking = useRef<AbortController>(undefined)

  const change = (id: number, changes: Partial<Turn>) =>
    setTurns((before) => before.map((turn) => (turn.id === id ? { ...turn, ...changes } : turn)))

  const send = async (applicationId: string, question: string, options: PlaygroundFilters) => {
    const controller = new AbortController()
    asking.current = controller
    const id = Date.now()
    setTurns((before) => [...before, { id, question, content: '', pending: true }])
    choose(id)
    try {
      const answer = await ask({
        applicationId,
        messages: [...turns.flatMap(saidIn), { role: 'user', content: question }],
        options,
        signal: controller.signal,
        onProgress: (content) => change(id, { content }),
      })
      change(id, { content: answer.content, answer, pending: false })
    } catch (error) {
      if (controller.signal.aborted) setTurns((before) => before.filter((turn) => turn.id !== id))
      else change(id, { error, pending: false })
    }
  }

  return {
    turns,
    /** Whose way through the stages is shown. */
    chosen: turns.find(({ id }) => id === chosen) ?? turns.at(-1),
    choose,
    send,
    pending: turns.some(({ pending }) => pending),
    stop: () => asking.current?.abort(),
    clear: () => {
      asking.current?.abort()
      setTurns([])
    },
  }
}

const saidIn = ({ question, answer }: Turn): readonly Said[] =>
  answer && !answer.governance?.dry_run
    ? [
        { role: 'user', content: question },
        { role: 'assistant', content: answer.content },
      ]
    : []
