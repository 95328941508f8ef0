import { useSyncExternalStore } from 'react'
import type { PlaygroundFilters } from './playground-filters.ts'
import type { ChatResult } from './send-chat.ts'

/** A message of the user and its result. */
export interface Turn {
  readonly id: number
  readonly prompt: string
  /** The completion so far. */
  readonly content: string
  readonly pending: boolean
  readonly isDryRun: boolean
  readonly result?: ChatResult
  readonly error?: unknown
}

/** The oldest chats are removed. */
const MAX_CHATS = 30

/** Chats of this window. They survive navigation to other pages of the dashboard. */
const chats = new Map<string, readonly Turn[]>()
const listeners = new Set<() => void>()
const NO_TURNS: readonly Turn[] = []

/** A chat belongs to one Application, user and session. */
export const chatKey = (workspace: string | undefined, { application, as, user, session }: PlaygroundFilters): string =>
  JSON.stringify([workspace, application, as ?? null, as === undefined ? user : null, session])

export function changeTurns(key: string, change: (turns: readonly Turn[]) => readonly Turn[]): void {
  const turns = change(chats.get(key) ?? NO_TURNS)
  chats.delete(key)
  if (turns.length > 0) chats.set(key, turns)
  const [oldest] = chats.keys()
  if (chats.size > MAX_CHATS && oldest !== undefined) chats.delete(oldest)
  for (const listener of listeners) listener()
}

export const useTurns = (key: string): readonly Turn[] => useSyncExternalStore(subscribe, () => chats.get(key) ?? NO_TURNS)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
