import { PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../ui/describe-error.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'

/** Asks for the password before a change of the sign-in. */
export function ConfirmPasswordForm({ onConfirm }: { readonly onConfirm: (password: string) => Promise<unknown> }) {
  const { t } = useTranslation('account')
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } })
  const confirm = useMutation({
    mutationFn: ({ password }: { password: string }) => onConfirm(password),
    onError: (error) => form.setFieldError('password', describeError(error).message),
  })
  return (
    <SubmitForm
      onSubmit={form.onSubmit((values) => confirm.mutate(values))}
      submit={t('twoFactor.continue')}
      pending={confirm.isPending}
    >
      <PasswordInput
        label={t('twoFactor.yourPassword')}
        autoComplete="current-password"
        required
        data-autofocus
        {...form.getInputProps('password')}
      />
    </SubmitForm>
  )
}
