import { Alert, Button, Modal, Stack } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Copyable } from './copy.tsx'
import { useUnsaved } from './use-unsaved.ts'

const FOCUS_MS = 100

interface ShownOnceProps {
  /** Undefined: nothing to show, the dialog is closed. */
  readonly secret: string | undefined
  readonly title: string
  /** What it is: "the key". */
  readonly what: string
  readonly onClose: () => void
}

/** A secret right after it was made. It cannot be shown a second time, so only the button closes the dialog. */
export function ShownOnce({ secret, title, what, onClose }: ShownOnceProps) {
  useUnsaved(secret !== undefined)
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (secret === undefined) return
    const focusCopy = () => content.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    // The dialog before this one gives the focus back to its button some time after it closes.
    const keepFocus = ({ target }: FocusEvent) => {
      if (!content.current?.contains(target as Node)) focusCopy()
    }
    document.addEventListener('focusin', keepFocus)
    const timer = setTimeout(focusCopy, FOCUS_MS)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('focusin', keepFocus)
    }
  }, [secret])
  return (
    <Modal
      opened={secret !== undefined}
      onClose={() => undefined}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack ref={content}>
        <Alert color="yellow" variant="light">
          Copy {what} now and save it. It cannot be shown again.
        </Alert>
        {secret !== undefined && <Copyable value={secret} what={what} autoFocus />}
        <Button onClick={onClose}>I have saved it</Button>
      </Stack>
    </Modal>
  )
}
