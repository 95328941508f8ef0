import { type ButtonProps, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { FormDialog, useFormDialog } from './form-dialog.tsx'
import { showFormError } from './form-errors.ts'
import { SubmitForm } from './submit-form.tsx'

interface NameButtonProps extends Pick<ButtonProps, 'variant' | 'size'> {
  /** Button label and dialog title: "Create Application". */
  readonly title: string
  /** Hint below the label of the name. */
  readonly description: string
  /** Label of the submit button: "Create". */
  readonly action: string
  readonly onName: (name: string) => Promise<unknown>
  /** Fragment of the page's URL that opens the dialog once: "#create". */
  readonly fragment?: string
}

/** Creates an object that needs only a name. Shows an error below the field. */
export function NameButton({ title, description, action, variant = 'filled', size, onName, fragment }: NameButtonProps) {
  const { t } = useTranslation('ui')
  const form = useForm({ initialValues: { name: '' } })
  const dialog = useFormDialog(form)
  const create = useMutation({
    mutationFn: ({ name }: { name: string }) => onName(name.trim()),
    onSuccess: dialog.dismiss,
    onError: showFormError(form),
  })
  return (
    <FormDialog
      dialog={dialog}
      title={title}
      variant={variant}
      pending={create.isPending}
      {...(size && { size })}
      {...(fragment && { fragment })}
    >
      <SubmitForm onSubmit={form.onSubmit((values) => create.mutate(values))} submit={action} pending={create.isPending}>
        <TextInput label={t('name')} description={description} required data-autofocus {...form.getInputProps('name')} />
      </SubmitForm>
    </FormDialog>
  )
}
