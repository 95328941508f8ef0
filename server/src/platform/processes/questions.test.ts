import { expect, test } from 'vitest'
import { DeadlineError } from '../lib/deadline.ts'
import type { Topic } from './messages.ts'
import { Questions } from './questions.ts'

type Answers = { readonly [T in Topic]?: () => Promise<unknown> }

/** Two sides that are connected. Returns the one that asks. */
function connect(answers: Answers): Questions {
  const asking: Questions = new Questions({ send: (message) => queueMicrotask(() => answering.receive(message)) })
  const answering = new Questions({ send: (message) => queueMicrotask(() => asking.receive(message)), answers })
  return asking
}

test('questions: each gets its own answer when they overlap', async () => {
  const questions = connect({ readiness: async () => 'ready', metrics: async () => 'counted' })
  expect(await Promise.all([questions.ask('metrics', 5_000), questions.ask('readiness', 5_000)])).toEqual(['counted', 'ready'])
})

test('questions: rejects when the other side is silent, fails or does not know the topic', async () => {
  const silent = connect({ metrics: () => new Promise(() => {}) })
  await expect(silent.ask('metrics', 5)).rejects.toThrow(DeadlineError)
  const failing = connect({ metrics: () => Promise.reject(new Error('broken')) })
  await expect(failing.ask('metrics', 5_000)).rejects.toThrow('could not answer')
  await expect(failing.ask('readiness', 5_000)).rejects.toThrow('could not answer')
})
