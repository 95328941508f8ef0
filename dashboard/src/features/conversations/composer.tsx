import { ActionIcon, Alert, Box, CloseButton, FileButton, Group, Loader, Pill, Text, Textarea, Tooltip } from '@mantine/core'
import { IconPaperclip, IconSend2 } from '@tabler/icons-react'
import { type KeyboardEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/api-error.ts'
import { describeError } from '../../ui/describe-error.ts'
import { formatFileSize } from '../../ui/format-file-size.ts'
import { Link } from '../../ui/link.tsx'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'
import type { Attachment } from './member-queries.ts'
import { useComposer } from './use-composer.ts'

/** Input for a new message. Denied messages stay in the input, with the error above it. */
export function Composer({ conversationId }: { readonly conversationId: string }) {
  const { t } = useTranslation('conversations')
  const { text, setText, files, upload, removeFile, send, busy, refusal, dismissRefusal } = useComposer(conversationId)
  const input = useRef<HTMLTextAreaElement>(null)
  useUnsavedWarning(text.trim() !== '' || files.length > 0, 'as')
  const focusAfter = async (work: Promise<void>) => {
    await work
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void focusAfter(send())
  }
  return (
    <Box p="xs" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
      {refusal !== undefined && <Refusal error={refusal} onClose={dismissRefusal} />}
      {files.length > 0 && <AttachedFiles files={files} onRemove={removeFile} />}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <AttachButton disabled={busy} onChoose={(selected) => void focusAfter(upload(selected))} />
        <Textarea
          ref={input}
          aria-label={t('composer.message')}
          placeholder={t('composer.placeholder')}
          autosize
          minRows={1}
          maxRows={6}
          style={{ flex: 1 }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <ActionIcon
          size="lg"
          aria-label={t('composer.send')}
          disabled={text.trim() === '' || busy}
          onClick={() => void focusAfter(send())}
        >
          {busy ? <Loader size={16} /> : <IconSend2 size={18} />}
        </ActionIcon>
      </Group>
    </Box>
  )
}

interface AttachButtonProps {
  readonly disabled: boolean
  readonly onChoose: (files: readonly File[]) => void
}

function AttachButton({ disabled, onChoose }: AttachButtonProps) {
  const { t } = useTranslation('conversations')
  const resetPicker = useRef<() => void>(null)
  const choose = (files: readonly File[]) => {
    onChoose(files)
    resetPicker.current?.()
  }
  return (
    <FileButton multiple resetRef={resetPicker} onChange={choose}>
      {(button) => (
        <Tooltip label={t('composer.attach')}>
          <ActionIcon {...button} variant="default" size="lg" aria-label={t('composer.attach')} disabled={disabled}>
            <IconPaperclip size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </FileButton>
  )
}

interface AttachedFilesProps {
  readonly files: readonly Attachment[]
  readonly onRemove: (id: string) => void
}

function AttachedFiles({ files, onRemove }: AttachedFilesProps) {
  const { t } = useTranslation('conversations')
  return (
    <Pill.Group mb="xs">
      {files.map(({ id, filename, file_size }) => (
        <Pill
          key={id}
          withRemoveButton
          onRemove={() => onRemove(id)}
          removeButtonProps={{ 'aria-label': t('composer.remove', { filename }), 'aria-hidden': false, tabIndex: 0 }}
        >
          {filename} · {formatFileSize(file_size)}
        </Pill>
      ))}
    </Pill.Group>
  )
}

/** The reason why a message was not sent. */
function Refusal({ error, onClose }: { readonly error: unknown; readonly onClose: () => void }) {
  const { t } = useTranslation('conversations')
  const auditId = error instanceof ApiError ? error.auditId : null
  return (
    <Alert role="alert" color="red" variant="light" mb="xs" p="xs">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">
          {describeError(error).message}{' '}
          {auditId !== null && (
            <Link to={`/audit/${auditId}`} size="sm">
              {t('composer.openRecord')}
            </Link>
          )}
        </Text>
        <CloseButton aria-label={t('dismiss')} onClick={onClose} />
      </Group>
    </Alert>
  )
}
