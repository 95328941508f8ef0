import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useChange } from '../../api/queries.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { notifyDone } from '../../ui/notify.ts'
import type { Memory } from './memory.ts'

/** Puts something truer in a memory's place. */
export function CorrectButton({ memory: { id, content, summary } }: { readonly memory: Memory }) {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({
    initialValues: { content, summary: summary ?? '' },
    validate: { content: (text) => (text.trim() === '' ? 'To forget it, erase it' : null) },
  })
  const correct = useChange('patch', '/admin/v1/memories/{id}', {
    refresh: ['/admin/v1/memories'],
    onDone: () => {
      close()
      notifyDone('Corrected.')
    },
  })
  const submit = (values: typeof form.values) =>
    correct.mutate(
      { params: { path: { id } }, body: { content: values.content, summary: values.summary.trim() || null } },
      { onError: showInForm(form) },
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
        title="Correct a memory"
        size="lg"
      >
        <form onSubmit={form.onSubmit(submit)}>
          <Stack>
            <Textarea label="What is right" autosize minRows={3} withAsterisk data-autofocus {...form.getInputProps('content')} />
            <TextInput label="In short" placeholder="left out: as it stands above" {...form.getInputProps('summary')} />
            <Text size="sm" c="dimmed">
              The old version is kept as history until it is erased. Secrets are refused.
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
