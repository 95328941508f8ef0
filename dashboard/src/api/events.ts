import { useEffect, useRef, useState } from 'react'
import type { PathOf } from './operations.ts'
import { useWorkspace } from './workspace.ts'

type Listeners = Readonly<Record<string, (data: unknown) => void>>

/** Calls a listener per event type while the component is mounted. Reconnects automatically. Returns true while connected. */
export function useEvents(path: PathOf<'get'>, listeners: Listeners): boolean {
  const workspace = useWorkspace()
  const latest = useRef(listeners)
  latest.current = listeners
  const [live, setLive] = useState(false)
  const types = Object.keys(listeners).join()
  useEffect(() => {
    const query = workspace === undefined ? '' : `?${new URLSearchParams({ workspace })}`
    const source = new EventSource(`${path}${query}`)
    source.onopen = () => setLive(true)
    source.onerror = () => setLive(false)
    for (const type of types.split(',')) {
      source.addEventListener(type, ({ data }) => latest.current[type]?.(JSON.parse(data)))
    }
    return () => source.close()
  }, [path, workspace, types])
  return live
}
