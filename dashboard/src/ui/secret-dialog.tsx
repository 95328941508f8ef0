import { Alert, Button, Modal, Stack } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Copyable } from './copy.tsx'
import { useUnsavedWarning } from './use-unsaved-warning.ts'

const FOCUS_MS = 100

/** Props of a dialog that only its own button closes. */
export const NO_CLOSING = {
  onClose: () => undefined,
  closeOnClickOutside: false,
  closeOnEscape: false,
  withCloseButton: false,
} as const

interface SecretDialogProps {
  /** Undefined: the dialog is closed. */
  readonly secret: string | undefined
  readonly title: string
  /** Names the secret, without an article: "key". */
  readonly label: string
  readonly onClose: () => void
}

/** Shows a new secret. Only the button closes the dialog, because the secret cannot be shown again. */
export function SecretDialog({ secret, title, label, onClose }: SecretDialogProps) {
  const { t } = useTranslation('ui')
  useUnsavedWarning(secret !== undefined)
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (secret === undefined) return
    const focusCopy = () => content.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    // The previous dialog returns the focus to its button shortly after it closes.
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
    <Modal opened={secret !== undefined} {...NO_CLOSING} title={title} size="lg">
      <Stack ref={content}>
        <Alert color="yellow" variant="light">
          {t('secret.saveNow', { label })}
        </Alert>
        {secret !== undefined && <Copyable value={secret} label={label} autoFocus />}
        <Button onClick={onClose}>{t('secret.saved')}</Button>
      </Stack>
    </Modal>
  )
}
