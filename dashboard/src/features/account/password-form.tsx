import { Button, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { changePassword } from '../../api/auth.ts'
import { showInForm } from '../../ui/form-errors.ts'
import { notifyDone } from '../../ui/notify.ts'
import { MIN_PASSWORD, passwordProblem } from '../../ui/passwords.ts'
import { useUnsaved } from '../../ui/use-unsaved.ts'

/** Chooses another password, which ends the sessions of all other browsers. */
export function PasswordForm() {
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '' },
    validate: { newPassword: passwordProblem },
  })
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.reset()
      notifyDone('The password was changed; all other sessions have ended.')
    },
    onError: showInForm(form),
  })
  useUnsaved(form.isDirty() && !change.isPending)
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack maw={360} align="stretch">
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...form.getInputProps('currentPassword')}
        />
        <PasswordInput
          label="New password"
          description={`At least ${MIN_PASSWORD} characters`}
          autoComplete="new-password"
          required
          {...form.getInputProps('newPassword')}
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          Change password
        </Button>
      </Stack>
    </form>
  )
}
