import { Alert, Anchor, Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { verifyBackupCode, verifyTotp } from '../../api/auth.ts'
import { describeError } from '../../ui/describe-error.ts'

interface TwoFactorFormProps {
  readonly onDone: () => void
  readonly onBack: () => void
}

export function TwoFactorForm({ onDone, onBack }: TwoFactorFormProps) {
  const [backup, setBackup] = useState(false)
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const attempt = useMutation({
    mutationFn: ({ code }: { code: string }) => (backup ? verifyBackupCode(code.trim()) : verifyTotp(code.trim())),
    onSuccess: onDone,
  })
  return (
    <form onSubmit={form.onSubmit((values) => attempt.mutate(values))}>
      <Stack>
        {attempt.error && (
          <Alert color="red" variant="light" role="alert">
            {describeError(attempt.error).message}
          </Alert>
        )}
        <TextInput
          key={String(backup)}
          label={backup ? 'Backup code' : '6-digit code'}
          autoComplete="one-time-code"
          inputMode={backup ? 'text' : 'numeric'}
          required
          autoFocus
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={attempt.isPending}>
          Continue
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={() => setBackup(!backup)}>
            {backup ? 'Use the authenticator app' : 'Use a backup code'}
          </Anchor>
          <Anchor component="button" type="button" size="sm" onClick={onBack}>
            Back
          </Anchor>
        </Group>
      </Stack>
    </form>
  )
}
