import '@mantine/dropzone/styles.css'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { useForm } from '@mantine/form'
import { IconFileUpload } from '@tabler/icons-react'
import { type ChangeEvent, useRef } from 'react'
import { useChange } from '../../api/queries.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { Section } from '../../ui/section.tsx'
import { useUnfinished, useUnsaved } from '../../ui/use-unsaved.ts'
import { UploadRow } from './upload-row.tsx'
import { useUploads } from './uploads.ts'

/** What the server takes at most. */
const MAX_BYTES = 20 * 1_048_576

interface UploadSectionProps {
  readonly collectionId: string
}

/** Brings documents in: files, dropped or chosen, and what a URL leads to. */
export function UploadSection({ collectionId }: UploadSectionProps) {
  const { uploads, add, clear } = useUploads(collectionId)
  const ended = uploads.every(({ state }) => state !== 'waiting' && state !== 'going')
  useUnfinished(!ended)
  return (
    <Section
      title="Add documents"
      actions={
        uploads.length > 0 &&
        ended && (
          <Button size="xs" variant="subtle" onClick={clear}>
            Clear the list
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
        aria-label="Drop files here, or press Enter to choose some"
        inputProps={{ 'aria-label': 'Files' }}
      >
        <Group justify="center" gap="sm" mih={84} style={{ pointerEvents: 'none' }}>
          <IconFileUpload size={32} stroke={1.5} aria-hidden />
          <Stack gap={0}>
            <Text fw={500}>Drop files here, or click to choose some</Text>
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

/** Every browser knows this attribute of inputs; React's types do not. */
const FOLDERS = { webkitdirectory: '' }

/** Chooses a folder; its files keep their paths. Dropping one on the field does the same. */
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
        Choose a folder
      </Button>
    </div>
  )
}

function FromUrl({ collectionId }: UploadSectionProps) {
  const form = useForm({ initialValues: { url: '' } })
  const ingest = useChange('post', '/admin/v1/collections/{id}/documents', { refresh: ['/admin/v1/documents'] })
  useUnsaved(form.isDirty() && !ingest.isPending)
  const bring = ({ url }: { readonly url: string }) =>
    ingest.mutate(
      { params: { path: { id: collectionId } }, body: { documents: [{ key: url, url }] } },
      {
        onSuccess: ({ data: [outcome] }) => {
          if (outcome?.error) return form.setFieldError('url', outcome.error.message)
          form.reset()
          notifyDone(outcome?.outcome === 'unchanged' ? 'It was there already, the same as now.' : 'The document is in.')
        },
        onError: showInForm(form),
      },
    )
  return (
    <form onSubmit={form.onSubmit(bring)}>
      <Group align="flex-start" gap="xs">
        <TextInput
          flex={1}
          miw={200}
          type="url"
          required
          aria-label="Or from a URL"
          placeholder="Or from a URL: https://…"
          {...form.getInputProps('url')}
        />
        <Button type="submit" variant="default" loading={ingest.isPending}>
          Fetch
        </Button>
      </Group>
    </form>
  )
}
