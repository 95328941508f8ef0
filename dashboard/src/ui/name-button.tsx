import { Button, type ButtonProps, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { showInForm } from './form-errors.ts'
import { FormModal } from './form-modal.tsx'

interface NameButtonProps extends Pick<ButtonProps, 'variant'> {
  /** On the button, and above the dialog: "New Application". */
  readonly title: string
  /** What the name is for. */
  readonly description: string
  /** In the dialog: "Create". */
  readonly action: string
  readonly onName: (name: string) => Promise<unknown>
}

/** Makes something that begins with no more than a name; a refusal stands below the field. */
export function NameButton({ title, description, action, variant = 'filled', onName }: NameButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  const form = useForm({ initialValues: { name: '' } })
  const make = useMutation({
    mutationFn: ({ name }: { name: string }) => onName(name.trim()),
    onSuccess: () => {
      close()
      form.reset()
    },
    onError: showInForm(form),
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
      <FormModal opened={opened} unsaved={form.isDirty() && !make.isPending} onClose={dismiss} title={title}>
        <form onSubmit={form.onSubmit((values) => make.mutate(values))}>
          <Stack>
            <TextInput label="Name" description={description} required data-autofocus {...form.getInputProps('name')} />
            <Button type="submit" loading={make.isPending}>
              {action}
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}
