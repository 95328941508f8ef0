import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useState } from 'react'

/**
 * True when `key` has stayed the same for `ms` milliseconds in a visible window. A click that was meant for what stood there
 * before comes earlier. Undefined: what has to settle is not there yet.
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
