import { type ButtonProps, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { FormDialog, useFormDialog } from './form-dialog.tsx'
import { showFormError } from './form-errors.ts'
import { SubmitForm } from './submit-form.tsx'

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
  const form = useForm({ initialValues: { name: '' } })
  const dialog = useFormDialog(form)
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) => onName(name.trim()),
    onSuccess: dialog.dismiss,
    onError: showFormError(form),
  })
  return (
    <FormDialog dialog={dialog} title={title} variant={variant} pending={create.isPending}>
      <SubmitForm onSubmit={form.onSubmit((values) => create.mutate(values))} submit={action} pending={create.isPending}>
        <TextInput label="Name" description={description} required data-autofocus {...form.getInputProps('name')} />
      </SubmitForm>
    </FormDialog>
  )
}
