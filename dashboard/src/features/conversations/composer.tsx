import { ActionIcon, Alert, Box, CloseButton, FileButton, Group, Loader, Pill, Text, Textarea, Tooltip } from '@mantine/core'
import { IconPaperclip, IconSend2 } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { describeError } from '../../ui/describe-error.ts'
import { Link } from '../../ui/link.tsx'
import { notifyError } from '../../ui/notify.ts'
import { useUnsaved } from '../../ui/use-unsaved.ts'
import { sizeOf } from './file-size.ts'
import { noteHeld } from './held-notes.ts'
import { useMember } from './member.ts'
import { type Attachment, memberKey } from './member-queries.ts'

/** Where a message is written. What policies deny stays there, with the reason. */
export function Composer({ conversationId }: { readonly conversationId: string }) {
  const { userId, client } = useMember()
  const queries = useQueryClient()
  const field = useRef<HTMLTextAreaElement>(null)
  const resetPicker = useRef<() => void>(null)
  const [text, setText] = useState('')
  const [files, setFiles] = useState<readonly Attachment[]>([])
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>()
  useUnsaved(text.trim() !== '' || files.length > 0, 'as')

  const upload = async (chosen: readonly File[]) => {
    setBusy(true)
    for (const file of chosen) {
      try {
        const { data } = await client.POST('/v1/attachments', {
          // The document calls bytes a string.
          body: { file: file as unknown as string },
          bodySerializer: () => formWith(file),
        })
        if (data) setFiles((before) => [...before, data])
      } catch (error) {
        notifyError(error)
      }
    }
    resetPicker.current?.()
    setBusy(false)
    field.current?.focus()
  }

  const discard = (id: string) => {
    setFiles((before) => before.filter((file) => file.id !== id))
    client.DELETE('/v1/attachments/{id}', { params: { path: { id } } }).catch(notifyError)
  }

  const send = async () => {
    const message = text.trim()
    if (message === '' || busy) return
    setBusy(true)
    setRefusal(undefined)
    const written = () => {
      setText('')
      setFiles([])
    }
    try {
      const attachments = files.map(({ id }) => id)
      await client.POST('/v1/messages', { body: { conversation_id: conversationId, message, attachments } })
      written()
      await queries.invalidateQueries({ queryKey: memberKey(userId, 'messages', conversationId) })
    } catch (error) {
      const reviewItemId = error instanceof ApiError ? error.reviewItemId : null
      if (reviewItemId === null) setRefusal(error)
      else {
        noteHeld(queries, userId, conversationId, { reviewItemId, state: 'pending', text: message })
        written()
      }
    }
    setBusy(false)
    field.current?.focus()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }

  return (
    <Box p="xs" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
      {refusal !== undefined && <Refusal error={refusal} onClose={() => setRefusal(undefined)} />}
      {files.length > 0 && (
        <Pill.Group mb="xs">
          {files.map(({ id, filename, file_size }) => (
            <Pill
              key={id}
              withRemoveButton
              onRemove={() => discard(id)}
              removeButtonProps={{ 'aria-label': `Take ${filename} out`, 'aria-hidden': false, tabIndex: 0 }}
            >
              {filename} · {sizeOf(file_size)}
            </Pill>
          ))}
        </Pill.Group>
      )}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <FileButton multiple resetRef={resetPicker} onChange={(chosen) => void upload(chosen)}>
          {(button) => (
            <Tooltip label="Attach files">
              <ActionIcon {...button} variant="default" size="lg" aria-label="Attach files" disabled={busy}>
                <IconPaperclip size={18} />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
        <Textarea
          ref={field}
          aria-label="Message"
          placeholder="Write a message"
          autosize
          minRows={1}
          maxRows={6}
          style={{ flex: 1 }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <ActionIcon size="lg" aria-label="Send" disabled={text.trim() === '' || busy} onClick={() => void send()}>
          {busy ? <Loader size={16} /> : <IconSend2 size={18} />}
        </ActionIcon>
      </Group>
    </Box>
  )
}

function formWith(file: File): FormData {
  const form = new FormData()
  form.append('file', file)
  return form
}

/** Why a message was not sent; it is still in the field. */
function Refusal({ error, onClose }: { readonly error: unknown; readonly onClose: () => void }) {
  const auditId = error instanceof ApiError ? error.auditId : null
  return (
    <Alert role="alert" color="red" variant="light" mb="xs" p="xs">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">
          {describeError(error).message}{' '}
          {auditId !== null && (
            <Link to={`/audit/${auditId}`} size="sm">
              Why
            </Link>
          )}
        </Text>
        <CloseButton aria-label="Dismiss" onClick={onClose} />
      </Group>
    </Alert>
  )
}
