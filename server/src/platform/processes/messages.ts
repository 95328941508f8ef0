import type { Environment } from '../config/environment.ts'

/** From the primary process to a serving process. */
export type ToWorker =
  | StartOrder
  | { readonly kind: 'stop'; readonly signal: StopSignal }
  | { readonly kind: 'reload'; readonly env: Environment }
  | Question
  | Answer

/** From a serving process to the primary process. */
export type ToPrimary = { readonly kind: 'listening' } | Question | Answer

export type StopSignal = 'SIGINT' | 'SIGTERM'

export interface StartOrder {
  readonly kind: 'start'
  /** Place of the process in its node, from 1. A process that replaces a dead one gets its number. */
  readonly number: number
  readonly processes: number
  /** Whether it prepares the database: applies `gatehouse.yaml`, seeds the demo and prints the banner. Once for each start of the node. */
  readonly prepares: boolean
  readonly env: Environment
}

/** `alive`: whether the event loop runs. */
export type Topic = 'alive' | 'metrics'

export const ANSWER_MS: Readonly<Record<Topic, number>> = { alive: 1_000, metrics: 3_000 }

/** A serving process answers for itself, and the primary process for all of them, with a `ProcessReport` for each. */
export interface Question {
  readonly kind: 'question'
  readonly id: number
  readonly topic: Topic
}

export interface Answer {
  readonly kind: 'answer'
  readonly id: number
  readonly value?: unknown
}

export interface ProcessReport<T> {
  readonly number: number
  /** Whether the process listens and gets connections. */
  readonly isServing: boolean
  /** How often a process with this number has ended and was started again. */
  readonly restarts: number
  /** Undefined: it does not run, or did not answer in time. */
  readonly answer: T | undefined
}
