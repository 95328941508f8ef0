import { useSyncExternalStore } from 'react'

/** The Workspace that every request is about, by name or id; undefined: the server's first. The page's address decides it. */
let current: string | undefined
const listeners = new Set<() => void>()

export const currentWorkspace = (): string | undefined => current

export function chooseWorkspace(workspace: string | undefined): void {
  if (workspace === current) return
  current = workspace
  for (const listener of listeners) listener()
}

export const useWorkspace = (): string | undefined => useSyncExternalStore(subscribe, currentWorkspace)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
