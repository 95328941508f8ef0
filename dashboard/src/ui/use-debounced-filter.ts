import { useDebouncedCallback } from '@mantine/hooks'
import { useRef, useState } from 'react'

/** Pause after the last key before the filter applies. */
const PAUSE_MS = 350

/**
 * Text of a filter input whose value is in the URL. Each input has its own pause, so that two inputs that are filled at the same
 * time both apply. Follows the URL when it changes otherwise.
 */
export function useDebouncedFilter(value: string, onChange: (value: string | undefined) => void, pauseMs = PAUSE_MS) {
  const [text, setTyped] = useState(value)
  const [applied, setApplied] = useState(value)
  const reported = useRef(value)
  const report = useDebouncedCallback((text: string) => {
    reported.current = text
    onChange(text || undefined)
  }, pauseMs)
  if (value !== applied) {
    setApplied(value)
    // The URL also changes after the input's own report; letters typed since then must stay.
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
  return { text, change }
}
