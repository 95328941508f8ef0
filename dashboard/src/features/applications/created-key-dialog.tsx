import { Alert, Button, Modal, Stack } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { Copyable } from '../../ui/copy.tsx'
import { NO_CLOSING } from '../../ui/secret-dialog.tsx'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'
import type { CreatedKey } from './api-key.ts'
import type { Application } from './applications-page.tsx'
import { BaseUrl, ClientSnippets } from './client-snippets.tsx'
import { FirstRequest } from './first-request.tsx'

const FOCUS_MS = 100
const POLL_MS = 2_000

interface CreatedKeyDialogProps {
  readonly application: Application
  /** Undefined: the dialog is closed. */
  readonly created: CreatedKey | undefined
  readonly onClose: () => void
}

/** Shows a new key once, with what a client needs, until its first request. Only the button closes the dialog. */
export function CreatedKeyDialog({ application, created, onClose }: CreatedKeyDialogProps) {
  const { t } = useTranslation('applications')
  const content = useRef<HTMLDivElement>(null)
  const key = useRead(
    '/admin/v1/keys/{id}',
    { params: { path: { id: created?.id ?? '' } } },
    { enabled: created !== undefined, refetchInterval: POLL_MS },
  ).data
  // A key that a client uses is saved somewhere.
  useUnsavedWarning(created !== undefined && !key?.last_used_at)
  // The dialog of the form returns the focus to its button shortly after it closes.
  useEffect(() => {
    if (!created) return
    const timer = setTimeout(() => content.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), FOCUS_MS)
    return () => clearTimeout(timer)
  }, [created])
  return (
    <Modal
      opened={created !== undefined}
      {...NO_CLOSING}
      title={t(created?.isRotated ? 'created.titleRotated' : 'created.title')}
      size="xl"
    >
      {created && (
        <Stack ref={content}>
          <Alert color="yellow" variant="light">
            {t('created.saveNow')}
          </Alert>
          <Copyable value={created.key} label={t('created.keyName')} autoFocus />
          <BaseUrl />
          <ClientSnippets application={application} apiKey={created.key} />
          <FirstRequest apiKey={key} />
          <Button onClick={onClose}>{t('created.close')}</Button>
        </Stack>
      )}
    </Modal>
  )
}
