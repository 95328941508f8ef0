import { useDebouncedCallback } from '@mantine/hooks'
import { useRef, useState } from 'react'

/** So long a field waits for the next letter before it filters. */
const PAUSE_MS = 350

/**
 * The text of a field that filters a list, kept in the address. It reports after a pause of its own, so that two fields which are
 * filled at the same time both apply, and follows the address when something else changes that.
 */
export function useTypedFilter(value: string, onChange: (value: string | undefined) => void, pauseMs = PAUSE_MS) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  const reported = useRef(value)
  const report = useDebouncedCallback((text: string) => {
    reported.current = text
    onChange(text || undefined)
  }, pauseMs)
  if (value !== known) {
    setKnown(value)
    // Its own report comes back while the next letters are typed: those stay.
    if (value !== reported.current) {
      reported.current = value
      report.cancel()
      setTyped(value)
    }
  }
  const change = (text: string) => {
    setTyped(text)
    report(text.trim())
  }
  return { typed, change }
}
