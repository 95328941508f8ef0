import { Box, Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'

interface UrlFormProps {
  readonly collectionId: string
  readonly onAdded: () => void
}

/** Adds the document at a URL, which the server fetches. */
export function UrlForm({ collectionId, onAdded }: UrlFormProps) {
  const { t } = useTranslation('knowledge')
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
          onAdded()
          notifySuccess(outcome?.outcome === 'unchanged' ? t('upload.fetchedUnchanged') : t('upload.fetched'))
        },
        onError: showFormError(form),
      },
    )
  return (
    <Box component="form" flex="1 1 320px" onSubmit={form.onSubmit(fetchUrl)}>
      <Group align="flex-start" gap="xs">
        <TextInput
          flex={1}
          miw={200}
          type="url"
          required
          aria-label={t('upload.url')}
          placeholder={t('upload.urlPlaceholder')}
          {...form.getInputProps('url')}
        />
        <Button type="submit" variant="default" loading={ingest.isPending}>
          {t('upload.fetch')}
        </Button>
      </Group>
    </Box>
  )
}
