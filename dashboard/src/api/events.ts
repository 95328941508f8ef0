import { useEffect, useRef, useState } from 'react'
import type { PathOf } from './operations.ts'
import { useWorkspace } from './workspace.ts'

type Listeners = Readonly<Record<string, (data: unknown) => void>>

/**
 * Listens to what the server tells, by kind of event, for as long as the component stands; the browser comes back by itself when
 * the connection ends. Answers whether it is there now.
 */
export function useEvents(path: PathOf<'get'>, listeners: Listeners): boolean {
  const workspace = useWorkspace()
  const latest = useRef(listeners)
  latest.current = listeners
  const [live, setLive] = useState(false)
  const kinds = Object.keys(listeners).join()
  useEffect(() => {
    const query = workspace === undefined ? '' : `?${new URLSearchParams({ workspace })}`
    const source = new EventSource(`${path}${query}`)
    source.onopen = () => setLive(true)
    source.onerror = () => setLive(false)
    for (const kind of kinds.split(',')) {
      source.addEventListener(kind, ({ data }) => latest.current[kind]?.(JSON.parse(data)))
    }
    return () => source.close()
  }, [path, workspace, kinds])
  return live
}
