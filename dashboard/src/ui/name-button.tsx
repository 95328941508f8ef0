import { Button, type ButtonProps, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { showFormError } from './form-errors.ts'
import { FormModal } from './form-modal.tsx'

interface NameButtonProps extends Pick<ButtonProps, 'variant'> {
  /** Button label and dialog title: "Create Application". */
  readonly title: string
  /** Hint below the label of the name. */
  readonly description: string
  /** Label of the submit button: "Create". */
  readonly action: string
  readonly onName: (name: string) => Promise<unknown>
}

/** Creates an object that needs only a name. Shows an error below the field. */
export function NameButton({ title, description, action, variant = 'filled', onName }: NameButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({ initialValues: { name: '' } })
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) => onName(name.trim()),
    onSuccess: () => {
      close()
      form.reset()
    },
    onError: showFormError(form),
  })
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button variant={variant} onClick={open}>
        {title}
      </Button>
      <FormModal opened={opened} unsaved={form.isDirty() && !create.isPending} onClose={dismiss} title={title}>
        <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
          <Stack>
            <TextInput label="Name" description={description} required data-autofocus {...form.getInputProps('name')} />
            <Button type="submit" loading={create.isPending}>
              {action}
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}
