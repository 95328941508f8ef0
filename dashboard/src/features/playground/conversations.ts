import { useSyncExternalStore } from 'react'
import type { Answer } from './ask.ts'
import type { PlaygroundFilters } from './playground-filters.ts'

/** A question and what came of it. */
export interface Turn {
  readonly id: number
  readonly question: string
  /** As far as it has come. */
  readonly content: string
  readonly pending: boolean
  readonly isDryRun: boolean
  readonly answer?: Answer
  readonly error?: unknown
}

/** So many chats are kept; the oldest are forgotten. */
const MOST_CONVERSATIONS = 30

/** Chats of this window, by who asks. They outlive the page, so that a look at a review or a record and Back keeps them. */
const conversations = new Map<string, readonly Turn[]>()
const listeners = new Set<() => void>()
const NONE: readonly Turn[] = []

/** A chat belongs to one Application, user and session: another one has not said what was said there. */
export const conversationKey = (workspace: string | undefined, { application, as, user, session }: PlaygroundFilters): string =>
  JSON.stringify([workspace, application, as ?? null, as === undefined ? user : null, session])

export function changeTurns(key: string, change: (turns: readonly Turn[]) => readonly Turn[]): void {
  const turns = change(conversations.get(key) ?? NONE)
  conversations.delete(key)
  if (turns.length > 0) conversations.set(key, turns)
  const [oldest] = conversations.keys()
  if (conversations.size > MOST_CONVERSATIONS && oldest !== undefined) conversations.delete(oldest)
  for (const listener of listeners) listener()
}

export const useTurns = (key: string): readonly Turn[] => useSyncExternalStore(subscribe, () => conversations.get(key) ?? NONE)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
