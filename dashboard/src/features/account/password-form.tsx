import { Button, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { changePassword } from '../../api/auth.ts'
import { Form } from '../../ui/form.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { useUnsavedWarning } from '../../ui/use-unsaved-warning.ts'
import { MIN_PASSWORD, validatePassword } from '../../ui/validate-password.ts'

/** Changes the password. The server then ends all other sessions. */
export function PasswordForm() {
  const { t } = useTranslation('account')
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '' },
    validate: { newPassword: validatePassword },
  })
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.reset()
      notifySuccess(t('password.changed'))
    },
    onError: showFormError(form),
  })
  useUnsavedWarning(form.isDirty() && !change.isPending)
  return (
    <Form onSubmit={form.onSubmit((values) => change.mutate(values))} pending={change.isPending}>
      <Stack maw={360} align="stretch">
        <PasswordInput
          label={t('password.current')}
          autoComplete="current-password"
          required
          {...form.getInputProps('currentPassword')}
        />
        <PasswordInput
          label={t('password.new')}
          description={t('password.minimum', { length: MIN_PASSWORD })}
          autoComplete="new-password"
          required
          {...form.getInputProps('newPassword')}
        />
        <Button type="submit" variant="default" loading={change.isPending}>
          {t('password.change')}
        </Button>
      </Stack>
    </Form>
  )
}
