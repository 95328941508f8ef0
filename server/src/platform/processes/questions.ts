import { DeadlineError, withDeadline } from '../lib/deadline.ts'
import type { Answer, Question, Topic } from './messages.ts'

type Answers = { readonly [T in Topic]?: () => Promise<unknown> }

interface Options {
  readonly send: (message: Question | Answer) => void
  /** The questions that this side answers. */
  readonly answers?: Answers
  readonly onError?: (error: Error) => void
}

/** Questions and answers between two processes or threads. Each question has a deadline, because the other side may be busy or frozen. */
export class Questions {
  readonly #options: Options
  readonly #open = new Map<number, (value: unknown) => void>()
  #nextId = 1

  constructor(options: Options) {
    this.#options = options
  }

  /** Rejects with a DeadlineError if the other side does not answer within `ms` or cannot answer. */
  async ask<T>(about: Topic, ms: number): Promise<T> {
    const id = this.#nextId++
    const answered = new Promise<unknown>((resolve) => this.#open.set(id, resolve))
    try {
      this.#options.send({ kind: 'question', id, about })
      const value = await withDeadline(ms, answered, 'the process did not answer')
      if (value === undefined) throw new DeadlineError('the process could not answer')
      return value as T
    } finally {
      this.#open.delete(id)
    }
  }

  /** Call it for each message of the other side that is a question or an answer. */
  receive(message: Question | Answer): void {
    if (message.kind === 'answer') this.#open.get(message.id)?.(message.value)
    else void this.#answer(message)
  }

  async #answer({ id, about }: Question): Promise<void> {
    const { send, answers, onError } = this.#options
    try {
      send({ kind: 'answer', id, value: await answers?.[about]?.() })
    } catch (error) {
      onError?.(error as Error)
      send({ kind: 'answer', id })
    }
  }
}
