import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { verifyTotp } from '../../api/auth.ts'
import { Copyable } from '../../ui/copy.tsx'
import { describeError } from '../../ui/describe-error.ts'
import { QrCode } from './qr-code.tsx'

export interface NewFactor {
  readonly totpURI: string
  readonly backupCodes: readonly string[]
}

interface SetUpProps {
  readonly factor: NewFactor
  readonly onDone: () => void
}

/** The second factor counts once the app has shown a first code. */
export function SetUp({ factor, onDone }: SetUpProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const verify = useMutation({
    mutationFn: ({ code }: { code: string }) => verifyTotp(code.trim()),
    onSuccess: onDone,
    onError: (error) => form.setFieldError('code', describeError(error).message),
  })
  const secret = new URL(factor.totpURI).searchParams.get('secret') ?? ''
  return (
    <form onSubmit={form.onSubmit((values) => verify.mutate(values))}>
      <Stack>
        <Text size="sm">Scan this with your authenticator app, or type the key in.</Text>
        <QrCode text={factor.totpURI} label="QR code for the authenticator app" />
        <Copyable value={secret} what="the key" />
        <TextInput
          label="Code of six digits"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          data-autofocus
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={verify.isPending}>
          Turn on
        </Button>
      </Stack>
    </form>
  )
}
