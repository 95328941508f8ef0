import { Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useChange } from '../../api/queries.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import type { Memory } from './memory.ts'

/** Corrects a memory. The old version becomes history. */
export function CorrectButton({ memory: { id, content, summary } }: { readonly memory: Memory }) {
  const form = useForm({
    initialValues: { content, summary: summary ?? '' },
    validate: { content: (text) => (text.trim() === '' ? 'Enter the corrected content, or erase the memory' : null) },
  })
  const dialog = useFormDialog(form)
  const correct = useChange('patch', '/admin/v1/memories/{id}', {
    refresh: ['/admin/v1/memories'],
    onDone: () => {
      dialog.saved()
      notifySuccess('Memory corrected.')
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
      title="Correct memory"
      label="Correct"
      variant="default"
      size="xs"
      aria-label={`Correct: ${content}`}
      wide
      pending={correct.isPending}
    >
      <SubmitForm onSubmit={form.onSubmit(submit)} submit="Correct" pending={correct.isPending}>
        <Textarea label="Content" autosize minRows={3} withAsterisk data-autofocus {...form.getInputProps('content')} />
        <TextInput label="Summary" placeholder="Optional" {...form.getInputProps('summary')} />
        <Text size="sm" c="dimmed">
          The old version stays in the history until the memory is erased. Secrets are refused.
        </Text>
      </SubmitForm>
    </FormDialog>
  )
}
