import type { Environment } from '../config/environment.ts'

/** From the primary process to a serving process. */
export type ToWorker =
  | { readonly kind: 'start'; readonly order: StartOrder }
  | { readonly kind: 'stop'; readonly signal: StopSignal }
  | { readonly kind: 'reload'; readonly env: Environment }
  | Question
  | Answer

/** From a serving process to the primary process. */
export type ToPrimary = { readonly kind: 'listening'; readonly port: number } | Beat | Question | Answer

/** Says that the event loop of a process runs. */
export interface Beat {
  readonly kind: 'beat'
}

export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Tells a serving process how to start. */
export interface StartOrder {
  /** Place of the process in its node, from 1. A process that replaces a dead one gets its number. */
  readonly number: number
  /** Whether it prepares the database: applies `gatehouse.yaml`, seeds the demo and prints the banner. Once for each start of the node. */
  readonly prepares: boolean
  /** Overrides PORT: with port 0 the system chose it for the first process. */
  readonly port: number | undefined
  /** Environment of the node, as read last. */
  readonly env: Environment
}

/** The topics about which processes ask each other. */
export type Topic = 'readiness' | 'metrics' | 'node_metrics'

export interface Question {
  readonly kind: 'question'
  readonly id: number
  readonly about: Topic
}

/** `value` is undefined if the question failed; the process that was asked has logged why. */
export interface Answer {
  readonly kind: 'answer'
  readonly id: number
  readonly value?: unknown
}
