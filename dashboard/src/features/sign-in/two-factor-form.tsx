import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { verifyBackupCode, verifyTotp } from '../../api/auth.ts'
import { describeError } from '../../ui/describe-error.ts'
import { FormError } from '../../ui/submit-form.tsx'

interface TwoFactorFormProps {
  readonly onDone: () => void
  readonly onBack: () => void
}

export function TwoFactorForm({ onDone, onBack }: TwoFactorFormProps) {
  const { t } = useTranslation('sign-in')
  const [backup, setBackup] = useState(false)
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const attempt = useMutation({
    mutationFn: ({ code }: { code: string }) => (backup ? verifyBackupCode(code.trim()) : verifyTotp(code.trim())),
    onSuccess: onDone,
  })
  return (
    <form onSubmit={form.onSubmit((values) => attempt.mutate(values))}>
      <Stack>
        {attempt.error && <FormError>{describeError(attempt.error).message}</FormError>}
        <TextInput
          key={String(backup)}
          label={backup ? t('twoFactor.backupCode') : t('twoFactor.code')}
          autoComplete="one-time-code"
          inputMode={backup ? 'text' : 'numeric'}
          required
          autoFocus
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={attempt.isPending}>
          {t('continue')}
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={() => setBackup(!backup)}>
            {backup ? t('twoFactor.useApp') : t('twoFactor.useBackupCode')}
          </Anchor>
          <Anchor component="button" type="button" size="sm" onClick={onBack}>
            {t('twoFactor.back')}
          </Anchor>
        </Group>
      </Stack>
    </form>
  )
}
