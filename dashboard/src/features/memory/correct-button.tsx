import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { showFormError } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import type { Memory } from './memory.ts'

/** Corrects a memory. The old version becomes history. */
export function CorrectButton({ memory: { id, content, summary } }: { readonly memory: Memory }) {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({
    initialValues: { content, summary: summary ?? '' },
    validate: { content: (text) => (text.trim() === '' ? 'Enter the corrected content, or erase the memory' : null) },
  })
  const correct = useChange('patch', '/admin/v1/memories/{id}', {
    refresh: ['/admin/v1/memories'],
    onDone: () => {
      close()
      notifySuccess('Memory corrected.')
    },
  })
  const submit = (values: typeof form.values) =>
    correct.mutate(
      { params: { path: { id } }, body: { content: values.content, summary: values.summary.trim() || null } },
      { onError: showFormError(form) },
    )
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button size="xs" variant="default" aria-label={`Correct: ${content}`} onClick={open}>
        Correct
      </Button>
      <FormModal
        opened={opened}
        unsaved={form.isDirty() && !correct.isPending}
        onClose={dismiss}
        title="Correct memory"
        size="lg"
      >
        <form onSubmit={form.onSubmit(submit)}>
          <Stack>
            <Textarea label="Content" autosize minRows={3} withAsterisk data-autofocus {...form.getInputProps('content')} />
            <TextInput label="Summary" placeholder="Optional" {...form.getInputProps('summary')} />
            <Text size="sm" c="dimmed">
              The old version stays in the history until the memory is erased. Secrets are refused.
            </Text>
            <Button type="submit" loading={correct.isPending}>
              Correct
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}
