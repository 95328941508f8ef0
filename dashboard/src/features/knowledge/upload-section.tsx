import '@mantine/dropzone/styles.css'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useForm } from '@mantine/form'
import { IconFileUpload } from '@tabler/icons-react'
import { type ChangeEvent, useRef } from 'react'
import { useChange } from '../../api/queries.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { Section } from '../../ui/section.tsx'
import { useUnloadWarning, useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'
import { UploadRow } from './upload-row.tsx'
import { useUploads } from './use-uploads.ts'

/** Limit of the server. */
const MAX_BYTES = 20 * 1_048_576

interface UploadSectionProps {
  readonly collectionId: string
}

/** Adds documents: files, folders and URLs. */
export function UploadSection({ collectionId }: UploadSectionProps) {
  const { uploads, add, clear } = useUploads(collectionId)
  const isIdle = uploads.every(({ state }) => state !== 'queued' && state !== 'uploading')
  useUnloadWarning(!isIdle)
  return (
    <Section
      title="Add documents"
      actions={
        uploads.length > 0 &&
        isIdle && (
          <Button size="xs" variant="subtle" onClick={clear}>
            Clear list
          </Button>
        )
      }
    >
      <Dropzone
        onDrop={add}
        onReject={(files) => {
          for (const { file } of files) notifyError(new Error(`${file.name} is larger than 20 MB.`))
        }}
        maxSize={MAX_BYTES}
        aria-label="Drop files here, or press Enter to choose files"
        inputProps={{ 'aria-label': 'Files' }}
      >
        <Group justify="center" gap="sm" mih={84} style={{ pointerEvents: 'none' }}>
          <IconFileUpload size={32} stroke={1.5} aria-hidden />
          <Stack gap={0}>
            <Text fw={500}>Drop files here, or click to choose files</Text>
            <Text size="sm" c="dimmed">
              Markdown, HTML, PDF, Word, text, CSV, JSON; up to 20 MB each
            </Text>
          </Stack>
        </Group>
      </Dropzone>
      <FolderButton onChoose={add} />
      {uploads.length > 0 && (
        <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Uploads">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </Stack>
      )}
      <FromUrl collectionId={collectionId} />
    </Section>
  )
}

/** React's types lack this attribute, which all browsers support. */
const FOLDERS = { webkitdirectory: '' }

/** Uploads a folder; files keep their paths. */
function FolderButton({ onChoose }: { readonly onChoose: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(currentTarget.files ?? [])]
    for (const { name } of files.filter(({ size }) => size > MAX_BYTES)) notifyError(new Error(`${name} is larger than 20 MB.`))
    onChoose(files.filter(({ size }) => size <= MAX_BYTES))
    currentTarget.value = ''
  }
  return (
    <div>
      <input ref={input} type="file" hidden {...FOLDERS} multiple aria-label="Folder" onChange={choose} />
      <Button variant="default" size="xs" onClick={() => input.current?.click()}>
        Choose folder
      </Button>
    </div>
  )
}

function FromUrl({ collectionId }: UploadSectionProps) {
  const form = useForm({ initialValues: { url: '' } })
  const ingest = useChange('post', '/admin/v1/collections/{id}/documents', { refresh: ['/admin/v1/documents'] })
  useUnsavedWarning(form.isDirty() && !ingest.isPending)
  const fetchUrl = ({ url }: { readonly url: string }) =>
    ingest.mutate(
      { params: { path: { id: collectionId } }, body: { documents: [{ key: url, url }] } },
      {
        onSuccess: ({ data: [outcome] }) => {
          if (outcome?.error) return form.setFieldError('url', outcome.error.message)
          form.reset()
          notifySuccess(outcome?.outcome === 'unchanged' ? 'The document is unchanged.' : 'Document added.')
        },
        onError: showFormError(form),
      },
    )
  return (
    <form onSubmit={form.onSubmit(fetchUrl)}>
      <Group align="flex-start" gap="xs">
        <TextInput
          flex={1}
          miw={200}
          type="url"
          required
          aria-label="Document URL"
          placeholder="Document URL: https://…"
          {...form.getInputProps('url')}
        />
        <Button type="submit" variant="default" loading={ingest.isPending}>
          Fetch
        </Button>
      </Group>
    </form>
  )
}
