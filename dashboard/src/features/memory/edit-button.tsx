import { Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useFormSync } from '../../ui/use-form-sync.ts'
import type { Memory } from './memory.ts'

/** Corrects a memory. The old version becomes history. */
export function EditButton({ memory: { id, content, summary } }: { readonly memory: Memory }) {
  const { t } = useTranslation('memory')
  const form = useForm({
    initialValues: { content, summary: summary ?? '' },
    validate: { content: (text) => (text.trim() === '' ? t('edit.contentRequired') : null) },
  })
  const dialog = useFormDialog(form)
  useFormSync(form, { content, summary: summary ?? '' })
  const correct = useChange('patch', '/admin/v1/memories/{id}', {
    refresh: ['/admin/v1/memories'],
    onDone: () => {
      dialog.saved()
      notifySuccess(t('edit.saved'))
    },
  })
  const submit = (values: typeof form.values) =>
    correct.mutate(
      { params: { path: { id } }, body: { content: values.content, summary: values.summary.trim() || null } },
      { onError: showFormError(form) },
    )
  return (
    <FormDialog
      dialog={dialog}
      title={t('edit.title')}
      label={t('edit.label')}
      variant="default"
      size="xs"
      aria-label={t('edit.labelFor', { content })}
      wide
      pending={correct.isPending}
    >
      <SubmitForm onSubmit={form.onSubmit(submit)} submit={t('edit.submit')} pending={correct.isPending}>
        <Textarea label={t('edit.content')} autosize minRows={3} withAsterisk data-autofocus {...form.getInputProps('content')} />
        <TextInput label={t('edit.summary')} placeholder={t('edit.summaryHint')} {...form.getInputProps('summary')} />
        <Text size="sm" c="dimmed">
          {t('edit.history')}
        </Text>
      </SubmitForm>
    </FormDialog>
  )
}
