import '@mantine/dropzone/styles.css'
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconFileUpload } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notifyError } from '../../ui/notify.ts'
import { Section } from '../../ui/section.tsx'
import { useUnloadWarning } from '../../ui/use-unsaved-warning.ts'
import { FolderButton } from './folder-button.tsx'
import { UploadRow } from './upload-row.tsx'
import { UrlForm } from './url-form.tsx'
import { type Upload, useUploads } from './use-uploads.ts'

/** Limit of the server. */
const MAX_BYTES = 25 * 1_048_576

interface UploadSectionProps {
  readonly collectionId: string
  /** Shown with the results of uploads. */
  readonly afterUploads: ReactNode
}

/** Adds documents: files, folders and URLs. */
export function UploadSection({ collectionId, afterUploads }: UploadSectionProps) {
  const { t } = useTranslation('knowledge')
  const { uploads, add, retry, clear } = useUploads(collectionId)
  const [hasUrl, setHasUrl] = useState(false)
  const done = uploads.filter(({ state }) => state !== 'queued' && state !== 'uploading').length
  const isIdle = done === uploads.length
  const failed = uploads.filter(({ state }) => state === 'failed').length
  useUnloadWarning(!isIdle)
  const refuse = (name: string) => notifyError(new Error(t('upload.tooLarge', { name })))
  const addAllowed = (files: readonly File[]) => {
    for (const { name } of files.filter(({ size }) => size > MAX_BYTES)) refuse(name)
    add(files.filter(({ size }) => size <= MAX_BYTES))
  }
  return (
    <Section
      title={t('upload.title')}
      actions={
        uploads.length > 0 &&
        isIdle && (
          <Button size="xs" variant="subtle" onClick={clear}>
            {t('upload.clear')}
          </Button>
        )
      }
    >
      <DropArea onFiles={add} onTooLarge={refuse} />
      <Group align="flex-start" gap="xs">
        <FolderButton onChoose={addAllowed} />
        <UrlForm collectionId={collectionId} onAdded={() => setHasUrl(true)} />
      </Group>
      {uploads.length > 0 && (
        <>
          <Text size="sm" c="dimmed" role="status">
            {t('upload.progress', { done, count: uploads.length })}
            {failed > 0 && ` ${t('upload.failures', { count: failed })}`}
          </Text>
          {uploads.length > 1 && !isIdle && (
            <Progress value={(100 * done) / uploads.length} aria-label={t('upload.allProgress')} />
          )}
          <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }} aria-label={t('upload.list')}>
            {[...uploads].sort(failedFirst).map((upload) => (
              <UploadRow key={upload.id} upload={upload} onRetry={() => retry(upload)} />
            ))}
          </Stack>
        </>
      )}
      {isIdle && (hasUrl || uploads.length > 0) && afterUploads}
    </Section>
  )
}

const failedFirst = (one: Upload, other: Upload): number => Number(other.state === 'failed') - Number(one.state === 'failed')

interface DropAreaProps {
  readonly onFiles: (files: File[]) => void
  readonly onTooLarge: (name: string) => void
}

function DropArea({ onFiles, onTooLarge }: DropAreaProps) {
  const { t } = useTranslation('knowledge')
  return (
    <Dropzone
      onDrop={onFiles}
      onReject={(files) => {
        for (const { file } of files) onTooLarge(file.name)
      }}
      maxSize={MAX_BYTES}
      aria-label={t('upload.dropLabel')}
      inputProps={{ 'aria-label': t('upload.files') }}
    >
      <Group justify="center" gap="sm" mih={40} style={{ pointerEvents: 'none' }}>
        <IconFileUpload size={32} stroke={1.5} aria-hidden />
        <Stack gap={0}>
          <Text fw={500}>{t('upload.drop')}</Text>
          <Text size="sm" c="dimmed">
            {t('upload.types')}
          </Text>
        </Stack>
      </Group>
    </Dropzone>
  )
}
