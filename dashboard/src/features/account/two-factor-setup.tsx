import { Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { type NewTwoFactor, verifyTotp } from '../../api/auth.ts'
import { Copyable } from '../../ui/copy.tsx'
import { describeError } from '../../ui/describe-error.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { QrCode } from './qr-code.tsx'

interface TwoFactorSetupProps {
  readonly factor: NewTwoFactor
  readonly onDone: () => void
}

/** Scanning the QR code and entering a first code completes the setup. */
export function TwoFactorSetup({ factor, onDone }: TwoFactorSetupProps) {
  const { t } = useTranslation('account')
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const verify = useMutation({
    mutationFn: ({ code }: { code: string }) => verifyTotp(code.trim()),
    onSuccess: onDone,
    onError: (error) => form.setFieldError('code', describeError(error).message),
  })
  const secret = new URL(factor.totpURI).searchParams.get('secret') ?? ''
  return (
    <SubmitForm
      onSubmit={form.onSubmit((values) => verify.mutate(values))}
      submit={t('twoFactor.turnOn')}
      pending={verify.isPending}
    >
      <Text size="sm">{t('twoFactor.scan')}</Text>
      <QrCode text={factor.totpURI} label={t('twoFactor.qrCode')} />
      <Copyable value={secret} label={t('twoFactor.key')} />
      <TextInput
        label={t('twoFactor.code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        data-autofocus
        {...form.getInputProps('code')}
      />
    </SubmitForm>
  )
}
