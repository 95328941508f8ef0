import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/**
 * True after `key` was unchanged for `ms` milliseconds in a visible window, so that a click that was meant for previous content
 * does nothing. Undefined: the content is still loading.
 */
export function useSettled(key: string | undefined, ms: number): boolean {
  const [settled, setSettled] = useState<string>()
  const visible = useDocumentVisibility() === 'visible'
  useEffect(() => {
    setSettled(undefined)
    if (key === undefined || !visible) return
    const timer = setTimeout(() => setSettled(key), ms)
    return () => clearTimeout(timer)
  }, [key, ms, visible])
  return key !== undefined && settled === key
}
