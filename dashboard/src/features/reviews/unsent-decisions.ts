import { useRouter } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { beforeSignOut } from '../../api/auth.ts'
import type { Decision } from './as-decided.ts'

/** Milliseconds in which a decision can be undone. */
const UNDO_MS = 5_000

/** Requests that outlive the page have together at most 64 kB. A comment has up to 12 kB, and the ids of a bulk decision have 3 kB. */
const MAX_WAITING = 4

/** A decision that is sent after {@link UNDO_MS}, or that is being sent. An item has at most one. */
export interface UnsentDecision extends Decision {
  /** Undefined: the decision waits and can be undone. */
  sending?: Promise<void>
}

interface Entry extends UnsentDecision {
  readonly send: () => Promise<void>
  readonly timer: ReturnType<typeof setTimeout>
}

/** The next list of entries replaces this one, so that React sees the change. */
let entries: readonly Entry[] = []
const listeners = new Set<() => void>()

function setEntries(next: readonly Entry[]): void {
  entries = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const isWaiting = ({ sending }: UnsentDecision): boolean => sending === undefined

export const useUnsentDecisions = (): readonly UnsentDecision[] => useSyncExternalStore(subscribe, () => entries)

/** Keeps a decision until it is sent or undone. Returns undefined if an item of it has a decision already. `send` must not throw. */
export function keepDecision(decision: Decision, send: () => Promise<void>): UnsentDecision | undefined {
  const isDecided = (id: string) => entries.some(({ items }) => items.some((item) => item.id === id))
  if (decision.items.some(({ id }) => isDecided(id))) return undefined
  const entry: Entry = { ...decision, send, timer: setTimeout(() => void sendNow(entry), UNDO_MS) }
  setEntries([...entries, entry])
  const waiting = entries.filter(isWaiting)
  if (waiting[0] && waiting.length > MAX_WAITING) void sendNow(waiting[0])
  // An item that expires before it is decided would lose the decision.
  if (decision.items.some(({ expires_at }) => Date.parse(expires_at) < Date.now() + 2 * UNDO_MS)) void sendNow(entry)
  return entry
}

/** Sends a decision once. The result settles with its response. */
export function sendNow(decision: UnsentDecision): Promise<void> {
  const entry = entries.find((one) => one === decision)
  if (!entry) return Promise.resolve()
  if (entry.sending) return entry.sending
  clearTimeout(entry.timer)
  entry.sending = entry.send().finally(() => remove(entry))
  setEntries([...entries])
  return entry.sending
}

/** Returns false if the decision was sent already. */
export function undoDecision(decision: UnsentDecision): boolean {
  const entry = entries.find((one) => one === decision)
  if (!entry || !isWaiting(entry)) return false
  clearTimeout(entry.timer)
  remove(entry)
  return true
}

/** The decision that was made last and can be undone. */
export const lastUndoable = (): UnsentDecision | undefined => entries.findLast(isWaiting)

const remove = (entry: Entry): void => setEntries(entries.filter((one) => one !== entry))

const sendAll = (): Promise<unknown> => Promise.all(entries.map(sendNow))

/** Sends the waiting decisions when the reviewer closes the window, leaves it or the reviews, changes the Workspace or signs out. */
export function useSendOnLeave(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ fromLocation, toLocation }) => {
        const isSameWorkspace = workspaceOf(fromLocation?.search) === workspaceOf(toLocation.search)
        if (!isSameWorkspace || !toLocation.pathname.startsWith('/reviews')) void sendAll()
      }),
    [router],
  )
}

const workspaceOf = (search: unknown): unknown => (search as { readonly workspace?: unknown } | undefined)?.workspace

beforeSignOut.add(sendAll)
addEventListener('pagehide', () => void sendAll())
// Phones end hidden pages without a further event.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void sendAll()
})
