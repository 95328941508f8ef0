import { useSyncExternalStore } from 'react'

/** Name or id of the Workspace that requests refer to, from the page's URL. Undefined: the server's first Workspace. */
let current: string | undefined
const listeners = new Set<() => void>()

export const currentWorkspace = (): string | undefined => current

export function setCurrentWorkspace(workspace: string | undefined): void {
  if (workspace === current) return
  current = workspace
  for (const listener of listeners) listener()
}

export const useWorkspace = (): string | undefined => useSyncExternalStore(subscribe, currentWorkspace)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
