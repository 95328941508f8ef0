import type { Answer, Question, Topic } from './messages.ts'

interface Options {
  readonly send: (message: Question | Answer) => void
  readonly answer: (topic: Topic) => Promise<unknown>
}

/** Questions and answers between the primary process and a serving process. */
export class Questions {
  readonly #options: Options
  readonly #open = new Map<number, (value: unknown) => void>()
  #lastId = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** Returns undefined if the other side does not answer within `ms`, because it is busy, frozen or has ended. */
  async ask<T>(topic: Topic, ms: number): Promise<T | undefined> {
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => resolve(undefined), ms).unref()
    this.#open.set(id, resolve)
    this.#options.send({ kind: 'question', id, topic })
    const value = await promise
    clearTimeout(timer)
    this.#open.delete(id)
    return value as T | undefined
  }

  async receive(message: Question | Answer): Promise<void> {
    const { id } = message
    if (message.kind === 'answer') this.#open.get(id)?.(message.value)
    else this.#options.send({ kind: 'answer', id, value: await this.#options.answer(message.topic) })
  }
}
